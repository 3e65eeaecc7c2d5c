package githook

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// fixture is a real repository with one commit on main.
type fixture struct {
	t   *testing.T
	dir string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	f := &fixture{t: t, dir: filepath.Join(dir, "a shop's code")}
	require.NoError(t, os.MkdirAll(f.dir, 0o755))
	f.git("", "init", "-q", "-b", "main")
	f.git("", "config", "user.name", "mara")
	f.git("", "config", "user.email", "mara@shop.example")
	f.write("README.md", "shop\n")
	f.git("", "add", ".")
	f.git("", "commit", "-q", "-m", "begin")
	return f
}

func (f *fixture) path(name string) string { return filepath.Join(f.dir, name) }

func (f *fixture) write(name, text string) {
	f.t.Helper()
	require.NoError(f.t, os.MkdirAll(filepath.Dir(f.path(name)), 0o755))
	require.NoError(f.t, os.WriteFile(f.path(name), []byte(text), 0o644))
}

// git runs Git in a folder of the repository and requires it to succeed.
func (f *fixture) git(dir string, args ...string) string {
	f.t.Helper()
	text, err := f.try(dir, args...)
	require.NoError(f.t, err, "git %s: %s", strings.Join(args, " "), text)
	return strings.TrimSpace(text)
}

func (f *fixture) try(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(f.t.Context(), "git", args...)
	cmd.Dir = f.path(dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func (f *fixture) worktree(name string) string {
	f.t.Helper()
	path := ".claude/worktrees/" + name
	f.git("", "worktree", "add", "-q", "-b", name, path)
	return path
}

func (f *fixture) open() *Repository {
	f.t.Helper()
	r, err := Open(f.t.Context(), f.dir)
	require.NoError(f.t, err)
	return r
}

// install writes hooks that run nothing, for tests that call the package itself.
func (f *fixture) install() (*Repository, *Installation, []events.Event) {
	f.t.Helper()
	r := f.open()
	facts, err := Install(f.t.Context(), r, Installation{Run: "r1", Binary: "/bin/true"})
	require.NoError(f.t, err)
	i, err := r.Installation()
	require.NoError(f.t, err)
	return r, i, facts
}

// told are the facts as short lines.
func told(facts []events.Event) (out []string) {
	for _, e := range facts {
		text := string(e.Type)
		switch d := e.Data.(type) {
		case *runevents.WorktreeCreated:
			text += " " + d.Path + " " + d.Letter
		case *runevents.WorktreeRemoved:
			text += " " + d.Path + " " + d.Letter
		case *runevents.GitCommit:
			text += " " + d.Branch + " " + d.Letter + " " + strings.Join(d.Files, ",")
			if d.Blocked {
				text += " blocked"
			}
			if d.AllowMain {
				text += " allowed"
			}
			if !d.Main && d.Branch == "main" {
				text += " (not main)"
			}
		case *runevents.GitMerge:
			text += " " + d.Branch + " into " + d.Into + ": " + d.Output
		case *runevents.GitCounted:
			for _, b := range d.Branches {
				text += fmt.Sprint(" ", b.Branch, "=", b.Commits)
			}
		}
		out = append(out, text)
	}
	return out
}

func TestWorktreesAreListed(t *testing.T) {
	f := newFixture(t)
	f.worktree("wave1-agent-B")
	f.git("", "worktree", "add", "-q", "--detach", "../apart")
	main, linked, err := f.open().Worktrees(t.Context())
	require.NoError(t, err)
	require.Equal(t, f.dir, main)
	for n := range linked {
		require.Equal(t, f.git("", "rev-parse", "main"), linked[n].head)
		linked[n].head = ""
	}
	require.Equal(t, []Worktree{
		{Path: ".claude/worktrees/wave1-agent-B", Branch: "wave1-agent-B", Wave: 1, Letter: "B"},
		{Path: filepath.Join(filepath.Dir(f.dir), "apart")},
	}, linked)
	inside, err := Open(t.Context(), f.path(".claude/worktrees/wave1-agent-B"))
	require.NoError(t, err)
	require.Equal(t, f.open().Hooks, inside.Hooks, "worktrees share the hooks")
}

// WP-5: names are exact.
func TestPlaceOf(t *testing.T) {
	for name, want := range map[string]string{
		"wave1-agent-A": "A", ".claude/worktrees/wave12-agent-Z": "Z", "wave0-agent-A": "", "wave1-agent-a": "", "wave1-agent-AB": "", "xwave1-agent-A": "", "": "",
	} {
		_, letter := placeOf(name)
		require.Equal(t, want, letter, name)
	}
}

func TestOpenSaysWhatIsNoRepository(t *testing.T) {
	_ = newFixture(t)
	_, err := Open(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "not a git repository")
}

func uncommittedIn(facts []events.Event) []string {
	for _, e := range facts {
		if d, is := e.Data.(*runevents.GitCounted); is {
			return d.UncommittedOnMain
		}
	}
	return nil
}
