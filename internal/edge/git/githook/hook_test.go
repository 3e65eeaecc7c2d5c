package githook

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func (f *fixture) call(r *Repository, i *Installation, name, dir string, env map[string]string) (facts []events.Event, blocked bool, said string) {
	f.t.Helper()
	var out bytes.Buffer
	facts, blocked, err := Hook(f.t.Context(), r, i, Call{Name: name, Dir: f.path(dir), Err: &out, Getenv: func(key string) string { return env[key] }})
	require.NoError(f.t, err)
	return facts, blocked, out.String()
}

// WP-4, layer 0: an agent's commit to main is refused, and it is told where to go.
func TestMainIsGuardedWhileWorktreesExist(t *testing.T) {
	f := newFixture(t)
	r, i, _ := f.install()
	f.write("a.go", "package a\n")
	f.git("", "add", ".")
	_, blocked, _ := f.call(r, i, "pre-commit", "", nil)
	require.False(t, blocked, "no worktree, no guard")

	own := f.worktree("wave1-agent-B")
	f.worktree("wave1-agent-A")
	facts, blocked, said := f.call(r, i, "pre-commit", "", map[string]string{AgentVariable: "B"})
	require.True(t, blocked)
	require.Equal(t, []string{
		"worktree.created .claude/worktrees/wave1-agent-A A", "worktree.created .claude/worktrees/wave1-agent-B B",
		"git.commit main B a.go blocked",
	}, told(facts))
	require.Equal(t, `scaffoldwatch: this commit to main is blocked.
Worktrees of a wave exist; each agent commits in its own one, never on main (WP-4).

Worktrees:
  .claude/worktrees/wave1-agent-A   (branch wave1-agent-A)
  .claude/worktrees/wave1-agent-B   (branch wave1-agent-B)   <- yours

Move your changes there and commit them there:
  git stash -u && cd '`+shellQuoted(f.path(own))+`' && git stash pop && git commit
The orchestrator's own commits (scaffold, after the merge, lint) need SAW_ALLOW_MAIN_COMMIT=1.
`, said)

	_, blocked, said = f.call(r, i, "pre-commit", "", nil)
	require.True(t, blocked)
	require.Contains(t, said, "Go to the worktree that your task names")
	_, blocked, said = f.call(r, i, "pre-commit", "", map[string]string{AllowVariable: "1"})
	require.False(t, blocked)
	require.Empty(t, said)
	_, blocked, _ = f.call(r, i, "pre-commit", own, nil)
	require.False(t, blocked, "its own worktree")
}

func shellQuoted(path string) string { q := quoted(path); return q[1 : len(q)-1] }

// Worktrees that a person had before do not belong to the run.
func TestAPersonsWorktreeGuardsNothing(t *testing.T) {
	f := newFixture(t)
	f.git("", "worktree", "add", "-q", "-b", "review", "../review")
	r, i, facts := f.install()
	require.Equal(t, []string{"hook.installed"}, told(facts))
	f.write("a.go", "package a\n")
	f.git("", "add", ".")
	facts, blocked, _ := f.call(r, i, "pre-commit", "", nil)
	require.False(t, blocked)
	require.Empty(t, facts)
}

// WP-5: a worktree with another name is reported under that name.
func TestWorktreesComeAndGo(t *testing.T) {
	f := newFixture(t)
	r, i, _ := f.install()
	path := f.worktree("wave2-agent-C")
	f.git("", "worktree", "add", "-q", "-b", "agent-c", ".claude/worktrees/agent-c")
	facts, _, _ := f.call(r, i, "post-checkout", path, nil)
	require.Equal(t, []string{"worktree.created .claude/worktrees/agent-c ", "worktree.created .claude/worktrees/wave2-agent-C C"}, told(facts))
	facts, _, _ = f.call(r, i, "post-checkout", path, nil)
	require.Empty(t, facts, "once")
	f.git("", "worktree", "remove", path)
	facts, _, _ = f.call(r, i, "post-checkout", "", nil)
	require.Equal(t, []string{"worktree.removed .claude/worktrees/wave2-agent-C C"}, told(facts))
}

// WP-6: files of two agents can be compared byte by byte.
func TestCommitsTellTheContentOfFiles(t *testing.T) {
	f := newFixture(t)
	r, i, _ := f.install()
	blobs := map[string]map[string]string{}
	for _, letter := range []string{"A", "B"} {
		path := f.worktree("wave1-agent-" + letter)
		f.write(path+"/gen/same file.go", "package gen\n")
		f.write(path+"/own.go", "package own // "+letter+"\n")
		f.git(path, "rm", "-q", "README.md")
		f.git(path, "add", ".")
		f.git(path, "commit", "-q", "--no-verify", "-m", letter)
		facts, _, _ := f.call(r, i, "post-commit", path, nil)
		made := facts[len(facts)-1].Data.(*runevents.GitCommit)
		require.Equal(t, []string{"README.md", "gen/same file.go", "own.go"}, made.Files)
		require.Equal(t, f.git(path, "rev-parse", "HEAD:own.go"), made.Blobs["own.go"])
		require.NotContains(t, made.Blobs, "README.md", "a deleted file has no content")
		blobs[letter] = made.Blobs
	}
	require.Equal(t, blobs["A"]["gen/same file.go"], blobs["B"]["gen/same file.go"])
	require.NotEqual(t, blobs["A"]["own.go"], blobs["B"]["own.go"])
}

func TestCommitsAndMergesAreTold(t *testing.T) {
	f := newFixture(t)
	r, i, _ := f.install()
	path := f.worktree("wave1-agent-A")
	f.call(r, i, "post-checkout", path, nil)
	f.write(path+"/a b.go", "package a\n")
	f.git(path, "add", ".")
	f.git(path, "commit", "-q", "-m", "a")
	facts, _, _ := f.call(r, i, "post-commit", path, nil)
	require.Equal(t, []string{"git.commit wave1-agent-A A a b.go"}, told(facts))
	again, _, _ := f.call(r, i, "post-commit", path, nil)
	require.Equal(t, facts[0].ID, again[0].ID, "one commit is one fact")

	f.git("", "merge", "-q", "wave1-agent-A")
	facts, _, _ = f.call(r, i, "post-merge", "", nil)
	require.Equal(t, []string{"git.merge wave1-agent-A into main: Fast-forward"}, told(facts))

	f.write("b.go", "package b\n")
	f.git("", "add", "b.go")
	f.git("", "commit", "-q", "-m", "scaffold")
	facts, _, _ = f.call(r, i, "post-commit", "", map[string]string{AllowVariable: "1", "SAW_COMMIT_PURPOSE": "scaffold"})
	require.Equal(t, []string{"git.commit main  b.go allowed"}, told(facts))
	require.Equal(t, "scaffold", facts[0].Data.(*runevents.GitCommit).Purpose)

	f.write(path+"/c.go", "package c\n")
	f.git(path, "add", ".")
	f.git(path, "commit", "-q", "-m", "c")
	f.git("", "merge", "-q", "--no-ff", "-m", "take A", "wave1-agent-A")
	facts, _, _ = f.call(r, i, "post-merge", "", nil)
	require.Equal(t, []string{"git.merge wave1-agent-A into main: Merge made by the 'ort' strategy."}, told(facts))
}

// WP-1: the branches' commits are counted, including those that no hook saw.
func TestCount(t *testing.T) {
	f := newFixture(t)
	r, i, _ := f.install()
	a := f.worktree("wave1-agent-A")
	f.worktree("wave1-agent-B")
	f.write(a+"/a.go", "package a\n")
	f.git(a, "add", ".")
	f.git(a, "commit", "-q", "--no-verify", "-m", "a")
	f.write("left.go", "package left\n")
	f.write("README.md", "changed\n")
	facts, err := Count(t.Context(), r, i, "")
	require.NoError(t, err)
	counted := facts[len(facts)-1].Data.(*runevents.GitCounted)
	require.Equal(t, []string{"README.md", "left.go"}, counted.UncommittedOnMain)
	require.Len(t, counted.Branches, 2)
	require.Equal(t, []any{"A", 1, []string{"a.go"}}, []any{counted.Branches[0].Letter, counted.Branches[0].Commits, counted.Branches[0].Files})
	require.Equal(t, []any{"B", 0}, []any{counted.Branches[1].Letter, counted.Branches[1].Commits})
	require.Equal(t, f.git("", "rev-parse", "main"), counted.Base)
	require.Equal(t, events.RoleInfra, facts[0].Credential)
	_, err = Count(t.Context(), r, i, "nonsense")
	require.ErrorContains(t, err, "nonsense")
}

func TestAnUnknownHookIsNamed(t *testing.T) {
	f := newFixture(t)
	r, i, _ := f.install()
	_, _, err := Hook(t.Context(), r, i, Call{Name: "pre-push", Dir: f.dir, Getenv: func(string) string { return "" }})
	require.ErrorContains(t, err, "pre-push")
}
