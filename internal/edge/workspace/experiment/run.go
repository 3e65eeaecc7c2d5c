package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/checkrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Limit is the default time limit of a check.
const Limit = 10 * time.Minute

// Limits of what is kept of an output.
const (
	maxHead    = 64 << 10
	maxTail    = 192 << 10
	summary    = 3   // in lines
	maxSummary = 400 // in bytes
)

// Run runs a check in a folder and returns its receipt. It fails if the command cannot be started, which
// says nothing about the project.
func (f *Finder) Run(ctx context.Context, c Command, folder string, limit time.Duration) (*sessionevents.CheckObserved, error) {
	r := &sessionevents.CheckObserved{Workspace: folder, Command: c.Line(), From: c.From}
	r.Tree = Tree(ctx, folder)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env = folder, f.environment()
	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = 2 * time.Second // a child that left the group may keep the output open
	began := time.Now()
	err := cmd.Run()
	r.Duration = time.Since(began).Milliseconds()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && limited.Err() == nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("run %s (from %s): %w", c.Line(), c.From, err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r.ExitCode, r.Expired = cmd.ProcessState.ExitCode(), limited.Err() != nil
	text := out.String()
	r.Summary = lastLines(text)
	r.Check = f.read(c, text, r)
	return r, nil
}

// Event returns the event of a receipt, with its publisher as source.
func Event(source string, c *sessionevents.CheckObserved, at time.Time) events.Event {
	return events.Event{
		ID:     events.DerivedID("check", c.Session, at.UTC().Format(time.RFC3339Nano)+c.Command, 0),
		Source: source, Type: sessionevents.TypeCheckObserved, Subject: c.Session, Time: at.UTC(),
		PartitionKey: cmp.Or(c.Run, c.Session), Correlation: c.Run, Data: c,
	}
}

// read interprets output and exit code. A command that the reader of checks does not recognise has the kind
// that it was run for, and its exit code decides.
func (f *Finder) read(c Command, text string, r *sessionevents.CheckObserved) sessionevents.Check {
	check := sessionevents.Check{Kind: c.Kind, Runner: checkrun.NamedTest}
	for _, known := range f.checks.Checks(c.Line(), checkrun.Result{Output: text, Exit: &r.ExitCode, Failed: r.ExitCode != 0}) {
		if known.Kind == c.Kind {
			check = known
		}
	}
	switch {
	case r.Expired, r.ExitCode == 126, r.ExitCode == 127:
		check.Result = sessionevents.CheckUnknown // it did not finish, or a program is missing
	case r.ExitCode != 0 && check.Result != sessionevents.CheckNothing:
		check.Result = sessionevents.CheckFailed
	case check.Result == "" || check.Result == sessionevents.CheckUnknown || check.Result == sessionevents.CheckCut:
		check.Result = sessionevents.CheckPassed
	}
	return check
}

// environment returns the person's environment without what belongs to other programs: keys, an agent's
// settings.
func (f *Finder) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !f.Environment.MatchString(name)
	})
	return append(env, "CI=1", "NO_COLOR=1", "TERM=dumb", "GIT_TERMINAL_PROMPT=0")
}

// output keeps the beginning and the end of what a command prints.
type output struct {
	mu         sync.Mutex
	head, tail []byte
	cut        bool
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(p)
	if room := maxHead - len(o.head); room > 0 {
		o.head = append(o.head, p[:min(room, len(p))]...)
		p = p[min(room, len(p)):]
	}
	o.tail = append(o.tail, p...)
	if extra := len(o.tail) - maxTail; extra > 0 {
		o.tail, o.cut = append(o.tail[:0], o.tail[extra:]...), true
	}
	return n, nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	joint := ""
	if o.cut {
		joint = "\n…\n"
	}
	return text.Valid(string(o.head) + joint + string(o.tail))
}

// lastLines returns the last meaningful lines of an output.
func lastLines(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return text.Tail(strings.Join(lines[max(0, len(lines)-summary):], "\n"), maxSummary)
}

// At creates a temporary worktree of a commit, runs a function in it, and removes it. No hook of the
// repository is run.
func At(ctx context.Context, root, commit string, do func(folder, commit string) error) (err error) {
	git := gitrun.Command{Dir: root, Options: []string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}}
	sha, err := git.Run(ctx, "rev-parse", "--verify", "-q", "--end-of-options", commit+"^{commit}")
	if err != nil {
		return fmt.Errorf("find the commit %s in %s: %w", commit, root, err)
	}
	sha = strings.TrimSpace(sha)
	inside, err := git.Run(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return fmt.Errorf("find the worktree of %s: %w", root, err)
	}
	parent, err := os.MkdirTemp("", "scaffoldwatch-check-")
	if err != nil {
		return fmt.Errorf("create a folder for the worktree: %w", err)
	}
	folder := filepath.Join(parent, "worktree")
	defer func() {
		if _, failed := git.Run(context.WithoutCancel(ctx), "worktree", "remove", "--force", folder); failed != nil && err == nil {
			err = fmt.Errorf("remove the worktree %s: %w", folder, failed)
		}
		_ = os.RemoveAll(parent)
	}()
	if _, err := git.Run(ctx, "worktree", "add", "--detach", "--quiet", folder, sha); err != nil {
		return fmt.Errorf("create a worktree of %s: %w", commit, err)
	}
	return do(filepath.Join(folder, filepath.FromSlash(strings.TrimSpace(inside))), sha)
}
