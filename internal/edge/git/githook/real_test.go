package githook

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// work installs hooks that really run, with two agents' worktrees.
func (f *fixture) work(letters ...string) (*Repository, *Installation) {
	f.t.Helper()
	r, i := f.hooked("")
	for _, letter := range letters {
		f.worktree("wave1-agent-" + letter)
	}
	f.told()
	return r, i
}

// hooked installs hooks that run.
func (f *fixture) hooked(main string) (*Repository, *Installation) {
	f.t.Helper()
	binary, err := os.Executable()
	require.NoError(f.t, err)
	_, err = Install(f.t.Context(), f.open(), Installation{Run: "r1", Binary: binary, Main: main})
	require.NoError(f.t, err)
	r := f.open()
	i, err := r.Installation()
	require.NoError(f.t, err)
	return r, i
}

// told returns what the hooks published since the last call.
func (f *fixture) told() []string {
	f.t.Helper()
	path := filepath.Join(f.open().Common, toldInTests)
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(f.t, err)
	require.NoError(f.t, os.Remove(path))
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

// sh runs a script in the repository; its exit code is that of the last command.
func (f *fixture) sh(script string) (said string, code int) {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), "sh", "-c", `TOP=$PWD; A=.claude/worktrees/wave1-agent-A; B=.claude/worktrees/wave1-agent-B
back() { cd "$TOP"; }
file() { mkdir -p "$(dirname "$1")"; echo "$1 $2" > "$1"; git add "$1"; }
commit() { file "$1" "$2"; git commit -q -m "${3:-$1}"; }
`+script)
	cmd.Dir = f.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	code = cmd.ProcessState.ExitCode()
	if err != nil && code < 0 {
		require.NoError(f.t, err)
	}
	return out.String(), code
}

func (f *fixture) count(r *Repository, i *Installation) []string {
	f.t.Helper()
	facts, err := Count(f.t.Context(), r, i, "")
	require.NoError(f.t, err)
	return told(facts)
}

// What people and agents do with Git, against real hooks in a real repository with the worktrees of A and B:
// what is published, what is refused, and what a later count finds (WP-1, WP-3, WP-4, WP-6).
func TestWhatPeopleDoWithGit(t *testing.T) {
	const blocked = "this commit to main is blocked"
	for name, one := range map[string]struct {
		rare    bool
		do      string
		code    int
		said    string
		told    []string
		counted []string
	}{
		"commit on main":               {false, "SAW_AGENT=B commit x.go", 1, blocked, []string{"git.commit main B x.go blocked"}, nil},
		"commit on main, allowed":      {false, "SAW_ALLOW_MAIN_COMMIT=1 commit x.go", 0, "", []string{"git.commit main  x.go allowed"}, nil},
		"commit on main, not verified": {false, "file x.go; SAW_AGENT=B git commit -q --no-verify -m x", 0, "", []string{"git.commit main B x.go"}, nil},
		"commit -a on main":            {true, "echo y > README.md; git commit -q -a -m y", 1, blocked, []string{"git.commit main  README.md blocked"}, nil},
		"rename on main":               {true, "git mv README.md LIESMICH.md; git commit -q -m y", 1, blocked, []string{"git.commit main  LIESMICH.md,README.md blocked"}, nil},
		"own index":                    {true, "cp .git/index other; GIT_INDEX_FILE=$PWD/other; export GIT_INDEX_FILE; file x.go; git commit -q -m x", 1, blocked, []string{"git.commit main  x.go blocked"}, nil},
		"commit of an agent":           {false, "cd $A; commit a.go", 0, "", []string{"git.commit wave1-agent-A A a.go"}, []string{"git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"commit from elsewhere":        {true, "cd /; git -C \"$TOP/$A\" commit -q --allow-empty -m x", 0, "", []string{"git.commit wave1-agent-A A "}, nil},
		"GIT_DIR":                      {true, "GIT_DIR=$PWD/.git GIT_WORK_TREE=$PWD; export GIT_DIR GIT_WORK_TREE; cd /; git commit -q --allow-empty -m x", 1, blocked, []string{"git.commit main   blocked"}, nil},
		"amend":                        {false, "cd $A; commit a.go; file b.go; git commit -q --amend --no-edit", 0, "", []string{"git.commit wave1-agent-A A a.go", "git.commit wave1-agent-A A a.go,b.go", "git.counted wave1-agent-A=1"}, []string{"git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"amend on main":                {true, "git commit -q --amend -m other", 1, blocked, []string{"git.commit main   blocked"}, nil},
		"autosquash": {true, "cd $A; commit a.go; commit a.go 2 'fixup! a.go'; git rebase -q -i --autosquash main", 0, "", []string{
			"git.commit wave1-agent-A A a.go", "git.commit wave1-agent-A A a.go", "git.commit wave1-agent-A A a.go", "git.counted wave1-agent-A=1",
		}, nil},
		"rebase on what came to main": {false, "SAW_ALLOW_MAIN_COMMIT=1 commit x.go; cd $A; commit a.go; git rebase -q main", 0, "", []string{
			"git.commit main  x.go allowed", "git.commit wave1-agent-A A a.go", "git.commit wave1-agent-A A a.go", "git.counted wave1-agent-A=1",
		}, []string{"git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"rebase with a conflict": {true, "SAW_ALLOW_MAIN_COMMIT=1 commit a.go main; cd $A; commit a.go; git rebase -q main; echo z > a.go; git add a.go; git rebase --continue", 0, "", []string{
			"git.commit main  a.go allowed", "git.commit wave1-agent-A A a.go", "git.commit wave1-agent-A A a.go", "git.counted wave1-agent-A=1",
		}, nil},
		// An agent that follows main has done nothing of its own.
		"main into a branch": {false, "SAW_ALLOW_MAIN_COMMIT=1 commit x.go; cd $B; git merge -q main", 0, "", []string{
			"git.commit main  x.go allowed", "git.merge main into wave1-agent-B: Fast-forward",
		}, []string{"git.counted wave1-agent-A=0 wave1-agent-B=0"}},
		"reset of what was done":   {false, "cd $A; commit a.go; git reset -q --hard HEAD~1", 0, "", []string{"git.commit wave1-agent-A A a.go"}, []string{"git.counted wave1-agent-A=0 wave1-agent-B=0"}},
		"a tag of the same name":   {true, "SAW_ALLOW_MAIN_COMMIT=1 commit x.go; git tag wave1-agent-A", 0, "", []string{"git.commit main  x.go allowed"}, []string{"git.counted wave1-agent-A=0 wave1-agent-B=0"}},
		"detached in a worktree":   {true, "cd $A; git checkout -q --detach; commit a.go", 0, "", []string{"git.commit  A a.go"}, []string{"git.counted wave1-agent-A=0 wave1-agent-B=0"}},
		"an orphan in a worktree":  {true, "cd $A; git checkout -q --orphan alone; git commit -q -m x", 0, "", []string{"git.commit alone A README.md"}, []string{"git.counted alone=1 wave1-agent-B=0"}},
		"a branch without commit":  {true, "cd $A; git checkout -q --orphan alone", 0, "", nil, []string{"git.counted alone=0 wave1-agent-B=0"}},
		"fast forward":             {false, "cd $A; commit a.go; back; git merge -q wave1-agent-A", 0, "", []string{"git.commit wave1-agent-A A a.go", "git.merge wave1-agent-A into main: Fast-forward"}, []string{"git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"merge commit":             {false, "cd $A; commit a.go; back; git merge -q --no-ff wave1-agent-A", 0, "", []string{"git.commit wave1-agent-A A a.go", "git.merge wave1-agent-A into main: Merge made by the 'ort' strategy."}, []string{"git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"merge by its sha":         {true, "cd $A; commit a.go; back; git merge -q $(git rev-parse wave1-agent-A)", 0, "", []string{"git.commit wave1-agent-A A a.go", "git.merge wave1-agent-A into main: Fast-forward"}, nil},
		"pull of a branch":         {true, "cd $A; commit a.go; back; git pull -q . wave1-agent-A", 0, "", []string{"git.commit wave1-agent-A A a.go", "git.merge wave1-agent-A into main: Fast-forward"}, nil},
		"merge without a log":      {true, "git config core.logAllRefUpdates false; rm -rf .git/logs; cd $A; commit a.go; back; git merge -q wave1-agent-A", 0, "", []string{"git.commit wave1-agent-A A a.go", "git.merge wave1-agent-A into main: Fast-forward"}, nil},
		"merge of nothing":         {true, "git merge -q wave1-agent-A", 0, "", nil, []string{"git.counted wave1-agent-A=0 wave1-agent-B=0"}},
		"squash":                   {false, "cd $A; commit a.go; back; git merge -q --squash wave1-agent-A; SAW_ALLOW_MAIN_COMMIT=1 git commit -q -m squashed", 0, "", []string{"git.commit wave1-agent-A A a.go", "git.merge wave1-agent-A into main: " + squashed, "git.commit main  a.go allowed"}, []string{"git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"octopus":                  {true, "cd $A; commit a.go; back; cd $B; commit b.go; back; git merge -q wave1-agent-A wave1-agent-B", 0, "", []string{"git.commit wave1-agent-A A a.go", "git.commit wave1-agent-B B b.go", "git.merge wave1-agent-A into main: Merge made by the 'octopus' strategy.", "git.merge wave1-agent-B into main: Merge made by the 'octopus' strategy."}, nil},
		"conflict, then a commit":  {false, "SAW_ALLOW_MAIN_COMMIT=1 commit a.go main; cd $A; commit a.go; back; git merge -q wave1-agent-A; echo z > a.go; git add a.go; git commit -q --no-edit", 0, "", []string{"git.commit main  a.go allowed", "git.commit wave1-agent-A A a.go", "git.merge wave1-agent-A into main: Merge branch 'wave1-agent-A'"}, nil},
		"cherry-pick on main":      {false, "SAW_ALLOW_MAIN_COMMIT=1 commit x.go; cd $A; commit a.go; back; git cherry-pick wave1-agent-A", 0, "", []string{"git.commit main  x.go allowed", "git.commit wave1-agent-A A a.go", "git.commit main  a.go"}, []string{"git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"revert on main":           {true, "SAW_ALLOW_MAIN_COMMIT=1 git revert --no-edit HEAD", 0, "", []string{"git.commit main  README.md allowed"}, nil},
		"patch on main":            {true, "cd $A; commit a.go; back; git format-patch -q -1 --stdout wave1-agent-A > .git/p; git am -q .git/p", 1, blocked, []string{"git.commit wave1-agent-A A a.go", "git.commit main  a.go blocked"}, nil},
		"patch on main, allowed":   {true, "cd $A; commit a.go; back; git format-patch -q -1 --stdout wave1-agent-A > .git/p; SAW_ALLOW_MAIN_COMMIT=1 git am -q .git/p", 0, "", []string{"git.commit wave1-agent-A A a.go", "git.commit main  a.go allowed"}, nil},
		"what makes no commit":     {false, "echo y > README.md; git stash -q; git stash pop -q; git tag v1; git checkout -q README.md; git reset -q --hard; git gc -q; cd $A; git switch -q -c side; git switch -q wave1-agent-A", 0, "", nil, nil},
		"other hooks":              {false, "file x.go; git -c core.hooksPath=/dev/null commit -q -m x", 0, "", nil, []string{"git.commit main  x.go", "git.counted wave1-agent-A=0 wave1-agent-B=0"}},
		"commit-tree":              {true, "git update-ref refs/heads/main $(git commit-tree -p main -m x main^{tree})", 0, "", nil, []string{"git.commit main  ", "git.counted wave1-agent-A=0 wave1-agent-B=0"}},
		"main moved to a branch":   {true, "cd $A; commit a.go; git update-ref refs/heads/main wave1-agent-A", 0, "", []string{"git.commit wave1-agent-A A a.go"}, []string{"git.merge wave1-agent-A into main: main was moved to wave1-agent-A", "git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"merge with other hooks":   {true, "cd $A; commit a.go; back; git -c core.hooksPath=/dev/null merge -q --no-ff wave1-agent-A", 0, "", []string{"git.commit wave1-agent-A A a.go"}, []string{"git.merge wave1-agent-A into main: Merge branch 'wave1-agent-A'", "git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"agent with other hooks":   {true, "cd $A; file a.go; git -c core.hooksPath=/dev/null commit -q -m a; back; git merge -q wave1-agent-A", 0, "", []string{"git.merge wave1-agent-A into main: Fast-forward"}, []string{"git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"from a remote":            {true, "git clone -q . ../other; cd ../other; git config user.name o; git config user.email o@x; commit o.go; back; git remote add o ../other; git pull -q o main", 0, "", []string{"git.merge " + "SHA" + " into main: Fast-forward"}, []string{"git.counted wave1-agent-A=0 wave1-agent-B=0"}},
		"settings of other people": {true, "git config log.showSignature true; git config diff.renames copies; git config status.showUntrackedFiles no; git config color.ui always; git config i18n.logOutputEncoding latin1; git config core.quotePath true; cd $A; commit é.go", 0, "", []string{"git.commit wave1-agent-A A é.go"}, []string{"git.counted wave1-agent-A=1 wave1-agent-B=0"}},
		"deleted worktrees":        {false, "rm -rf $A $B; commit x.go", 0, "", []string{"worktree.removed .claude/worktrees/wave1-agent-A A", "worktree.removed .claude/worktrees/wave1-agent-B B", "git.commit main  x.go"}, []string{"git.counted"}},
		"deleted, but locked":      {true, "git worktree lock $A; rm -rf $A $B; commit x.go", 1, blocked, []string{"worktree.removed .claude/worktrees/wave1-agent-B B", "git.commit main  x.go blocked"}, nil},
		"moved worktree":           {true, "git worktree move $A moved; cd moved; commit a.go", 0, "", []string{"worktree.created moved ", "worktree.removed .claude/worktrees/wave1-agent-A A", "git.commit wave1-agent-A A a.go"}, nil},
		"hostile names":            {true, "git worktree add -q -b n \"$PWD/-x\n  y é\"; git -C \"$PWD/-x\n  y é\" commit -q --allow-empty -m x", 0, "", []string{"worktree.created -x\n  y é ", "git.commit n  "}, []string{"git.counted n=1 wave1-agent-A=0 wave1-agent-B=0"}},
		"settings deleted":         {true, "rm .git/scaffoldwatch/hooks.json; SAW_AGENT=B commit x.go", 1, "hooks.json is gone", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if one.rare && testing.Short() {
				t.Skip("rare")
			}
			t.Parallel()
			f := newFixture(t)
			r, i := f.work("A", "B")
			said, code := f.sh(one.do)
			require.Equal(t, one.code, code, said)
			require.Contains(t, said, one.said)
			sha := f.git("", "rev-parse", "main")
			want := strings.Split(strings.ReplaceAll(strings.Join(one.told, "\x00"), "SHA", sha), "\x00")
			if len(one.told) == 0 {
				want = nil
			}
			require.Equal(t, want, f.told(), said)
			if one.counted == nil {
				return
			}
			require.Equal(t, one.counted, f.count(r, i), said)
			require.Equal(t, one.counted[len(one.counted)-1:], f.count(r, i), "what a count found is told once")
		})
	}
}

// WP-4: main is the branch that agents must not touch, whatever its name.
func TestMainHasManyNames(t *testing.T) {
	for _, name := range []string{"master", "trunk", "develop", "release/2.0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.git("", "branch", "-m", name)
			f.work("A")
			said, code := f.sh("commit x.go")
			require.Equal(t, 1, code)
			require.Contains(t, said, "this commit to "+name+" is blocked")
			require.Equal(t, []string{"git.commit " + name + "  x.go blocked"}, f.told())
			_, code = f.sh("git switch -q -c main; commit y.go")
			require.Zero(t, code, "another branch")
		})
	}
}

// Six agents commit at once, three times each: each worktree and commit is published once.
func TestSixAgentsAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.hooked("")
	said, code := f.sh(`for l in A B C D E F; do git worktree add -q -b wave1-agent-$l .claude/worktrees/wave1-agent-$l; done
for l in A B C D E F; do
  (cd .claude/worktrees/wave1-agent-$l; for n in 1 2 3; do commit $l$n.go; done) &
done; wait`)
	require.Zero(t, code, said)
	var want []string
	for _, l := range []string{"A", "B", "C", "D", "E", "F"} {
		want = append(want, "worktree.created .claude/worktrees/wave1-agent-"+l+" "+l)
		for _, n := range []string{"1", "2", "3"} {
			want = append(want, "git.commit wave1-agent-"+l+" "+l+" "+l+n+".go")
		}
	}
	require.ElementsMatch(t, want, f.told(), said)
}
