package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// shown holds the facts of a session that saw only git status and git worktree list.
type shown struct {
	guard.Blind
	place     *Place
	work      guard.Work
	worktrees []string
}

// Home returns what the path of the workspace shows: scan knows no other.
func (s *shown) Home() string {
	parts := strings.Split(s.place.Repo, "/")
	switch {
	case parts[1] == "home" || parts[1] == "Users":
		return strings.Join(parts[:3], "/")
	case parts[1] == "root":
		return "/root"
	}
	return ""
}

func (s *shown) Work(folder string, _ ...string) guard.Work {
	if !strings.HasPrefix(folder+"/", s.place.Repo+"/") {
		return guard.Work{Unknown: "nobody looked there"}
	}
	return s.work
}
func (s *shown) Worktrees(string) []string      { return s.worktrees }
func (*shown) Knows(string) (made, looked bool) { return false, false }

// Branch says of the branch that is checked out that it is not ahead.
func (*shown) Branch(_, name string) guard.Branch {
	return guard.Branch{Known: name == "HEAD", Exists: name == "HEAD"}
}

// look returns what Git prints in a repository, with the facts that it shows.
func look(t *testing.T, p *Place) (status, list string, facts *shown) {
	t.Helper()
	git := func(args ...string) string {
		command := exec.Command("git", args...)
		command.Dir = p.Repo
		out, err := command.Output()
		require.NoError(t, err)
		return string(out)
	}
	status, list = git("status", "--short", "-uall"), git("worktree", "list")
	facts = &shown{Blind: guard.Blind{Workspace: p.Repo}, place: p, work: guard.Work{Root: p.Repo, NoIgnored: true}}
	for line := range strings.Lines(status) {
		facts.work.Files = append(facts.work.Files, guard.WorkFile{Path: filepath.Join(p.Repo, strings.TrimSpace(line[3:])), Untracked: line[:2] == "??", Before: true})
	}
	for line := range strings.Lines(list) {
		if name, _, _ := strings.Cut(line, "  "); name != p.Repo {
			facts.worktrees = append(facts.worktrees, name)
		}
	}
	return status, list, facts
}

// scanned returns the strictest signal of E3 about a command, in a session that saw status and list before.
func scanned(t *testing.T, core *machines.Core, p *Place, id, status, list, command string) float64 {
	t.Helper()
	call := func(n int, command, output string) []sessionevents.Block {
		input, err := json.Marshal(map[string]string{"command": command})
		require.NoError(t, err)
		name := fmt.Sprintf("c%d", n)
		return []sessionevents.Block{
			{Type: sessionevents.BlockToolCall, ID: name, Name: "Bash", Input: input},
			{Type: sessionevents.BlockToolResult, ID: name, Output: output},
		}
	}
	first := append([]sessionevents.Block{{Type: sessionevents.BlockUser, Text: "Have a look at the totals."}}, call(1, "git status --short -uall", status)...)
	first = append(first, call(2, "git worktree list", list)...)
	chain, worst := core.Chain(), 0.0
	opened, err := publish.Prepare(events.Event{ID: "opened", Source: "/test", Type: sessionevents.TypeSessionOpened, Subject: id, Data: &sessionevents.SessionOpened{Session: id, Workspace: p.Repo}})
	require.NoError(t, err)
	chain.Feed(opened)
	for n, blocks := range [][]sessionevents.Block{first, call(3, command, "")} {
		turn := &sessionevents.Turn{Session: id, TurnID: fmt.Sprintf("t%d", n), Format: "blocks", Blocks: blocks}
		e, err := publish.Prepare(events.Event{ID: turn.TurnID, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: id, Data: turn})
		require.NoError(t, err)
		for _, decided := range chain.Feed(e) {
			if s, is := decided.Data.(*sessionevents.Signal); is && s.Detector == preflight.RuleDestructive {
				worst = max(worst, float64(s.Urgency)/10)
			}
		}
	}
	return worst
}

// every returns the cases of our own tables, and of the peers' where their data is here.
func every(t *testing.T, p *Place) []row {
	t.Helper()
	data := shareddata.Folder()
	if data == "" {
		t.Log("only our own tables: set " + shareddata.Variable + " to the folder that holds labels/")
	}
	rows, err := labelled(data, p)
	require.NoError(t, err)
	require.Greater(t, len(rows), 900)
	return rows
}

// said returns a verdict in the form of a hook's answer: a snapshot is a warning that names it.
func said(d guard.Decision) preflight.Decision {
	return map[guard.Decision]preflight.Decision{guard.Allow: preflight.Allow, guard.Keep: preflight.Warn, guard.Warn: preflight.Warn, guard.Deny: preflight.Deny}[d]
}

// The hook of a system, try and a hook to which no system answers give the same verdict to every command,
// each of them in a session of its own (GD-1, GD-20).
func TestTheSameVerdict(t *testing.T) {
	p := place(t, Full)
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	j, err := guard.New(rules.Default())
	require.NoError(t, err)
	checker, err := alone.NewChecker(rules.Default())
	require.NoError(t, err)
	l := &lone{t: t, folder: p.Repo, guard: alone.Guard{Folder: filepath.Join(t.TempDir(), "hook"), Patience: time.Minute, Checker: checker}}
	known := facts(t, j, p)
	counts := map[preflight.Decision]int{}
	apart := proofs.Size(5, 1)
	for n, c := range every(t, p) {
		if n%apart != 0 {
			continue
		}
		want := said(j.Judge(j.Effects(c.Command, p.Repo, known), known, nil).Decision)
		e := NewEndpoint(core.Preflight)
		e.desk.Patience = time.Minute
		answer, err := e.Ask(p.Repo, "Have a look at the totals.", c.Command)
		require.NoError(t, err)
		if answer.Class == preflight.ClassSelfRelease {
			want = preflight.Deny // try asks for this too
		}
		assert.Equal(t, want, answer.Decision, "hook: %s", c.Command)
		session := fmt.Sprintf("lone-%d", n)
		l.call(session, "SessionStart", map[string]any{"source": "startup"})
		assert.Equal(t, string(want), l.shell(session, c.Command), "hook without a system: %s", c.Command)
		require.NoError(t, os.RemoveAll(filepath.Join(l.guard.Folder, "sessions")))
		counts[want]++
	}
	require.Positive(t, counts[preflight.Deny]*counts[preflight.Warn]*counts[preflight.Allow])
	t.Log(counts)
}

// Scan gives the answer of the guard on the facts that a transcript shows (GD-1): what the guard denies, scan
// fires for; what it warns of or keeps, scan reports or records; what it allows, scan does not mention.
func TestScanSaysTheSame(t *testing.T) {
	p := place(t, Full)
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	j, err := guard.New(rules.Default())
	require.NoError(t, err)
	status, list, facts := look(t, p)
	counts := map[guard.Decision]int{}
	apart := proofs.Size(5, 1)
	for n, c := range every(t, p) {
		if n%apart != 0 {
			continue
		}
		verdict := j.Judge(j.Effects(c.Command, p.Repo, facts), facts, nil)
		input, err := json.Marshal(map[string]string{"command": c.Command})
		require.NoError(t, err)
		hook := core.Preflight.Check(preflight.Call{Session: "s", Name: "Bash", Input: input, Directory: p.Repo, Workspace: p.Repo, Facts: facts})
		if hook.Class == preflight.ClassSelfRelease {
			continue // nothing is destroyed
		}
		assert.Equal(t, said(verdict.Decision), hook.Decision, "hook: %s", c.Command)
		urgency := scanned(t, core, p, fmt.Sprintf("s-%d", n), status, list, c.Command)
		switch counts[verdict.Decision]++; verdict.Decision {
		case guard.Deny:
			assert.GreaterOrEqual(t, urgency, 4.0, "scan: %s", c.Command)
		case guard.Warn, guard.Keep:
			assert.Positive(t, urgency, "scan: %s %s", verdict.Decision, c.Command)
		default:
			assert.Less(t, urgency, 2.0, "scan: %s", c.Command)
		}
	}
	require.Positive(t, counts[guard.Deny]*counts[guard.Warn]*counts[guard.Keep]*counts[guard.Allow])
	t.Log(counts)
}
