// Package gitrun runs Git with English messages, without optional locks, and without the variables by which
// a hook learns where it runs.
package gitrun

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// placing lists the variables by which a hook learns where it runs, or that change what a path means. They
// would mislead Git in another folder.
var placing = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// Placing returns the names of the variables that [Command] leaves out.
func Placing() []string { return slices.Clone(placing) }

// Command configures how Git is run.
type Command struct {
	Dir string
	// Options precede the subcommand: "-c", "core.fsmonitor=false".
	Options []string
	// Placed keeps the variables that Git set for a hook, since they may be all that connects a folder with
	// its repository.
	Placed bool
	// Variables are set in addition: "GIT_INDEX_FILE=/tmp/index".
	Variables []string
	// Delay is how long the output may stay open after Git ended or was stopped: by a child of Git, or because
	// nobody had the time to read it yet; 0 means a second.
	Delay time.Duration
}

// Run runs Git and returns its output. The error contains Git's message and, if the context ended, wraps
// the context's error.
func (c Command) Run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append(slices.Clone(c.Options), args...)...)
	cmd.Dir = c.Dir
	cmd.WaitDelay = cmp.Or(c.Delay, time.Second)
	// Replaced objects are not what was committed.
	cmd.Env = append(c.environment(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1")
	cmd.Env = append(cmd.Env, c.Variables...)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		switch {
		case errors.Is(err, exec.ErrNotFound):
			return "", errors.New("git is not installed, or not in PATH")
		case ctx.Err() != nil:
			return "", fmt.Errorf("git %s: %w", args[0], ctx.Err())
		}
		return out.String(), fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problem.String()))
	}
	return out.String(), nil
}

func (c Command) environment() []string {
	all := os.Environ()
	if c.Placed {
		return all
	}
	return slices.DeleteFunc(all, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(placing, name)
	})
}

// delay returns a tenth of the time that there is: on a busy machine the output of a command that succeeded
// is read late.
func delay(ctx context.Context) time.Duration {
	end, limited := ctx.Deadline()
	if !limited {
		return 0
	}
	return max(time.Until(end)/10, 5*time.Millisecond)
}

// Looking returns a command for reading a repository whose settings are untrusted (JD-20): it starts no
// program that they name, such as hooks, file system monitors, content filters or pagers, fetches no
// missing objects, and writes nothing. Files that a filter changes on their way into Git are compared as
// they are on disk, so they may seem changed: filtered reports whether there are filters. Commands must not
// look into submodules, which have settings of their own.
func Looking(ctx context.Context, dir string) (c Command, filtered bool, err error) {
	c = Command{
		Dir: dir, Delay: delay(ctx),
		Options: []string{
			"--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=keep", "-c", "core.hooksPath=/dev/null",
			"-c", "core.sshCommand=false", "-c", "core.askPass=false", "-c", "protocol.allow=never", "-c", "log.showSignature=false",
		},
		Variables: []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EXTERNAL_DIFF="},
	}
	// Exit code 1 means that no setting has such a name; any other failure shows in the next command.
	names, err := c.Run(ctx, "config", "--name-only", "-z", "--get-regexp", `^filter\..*\.(clean|smudge|process|required)$`)
	if ctx.Err() != nil {
		return c, false, err
	}
	for name := range strings.SplitSeq(names, "\x00") {
		if name == "" {
			continue
		}
		if strings.Contains(name, "=") {
			return c, true, fmt.Errorf("git: the filter %q cannot be left out", name)
		}
		value := ""
		if strings.HasSuffix(name, ".required") {
			value = "false"
		}
		filtered = true
		c.Options = append(c.Options, "-c", name+"="+value)
	}
	return c, filtered, nil
}
