package githook

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func (f *fixture) hook(name, text string) {
	f.t.Helper()
	path := f.path(name)
	require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(f.t, os.WriteFile(path, []byte(text), 0o755))
}

// usual skips what is rare in short runs.
func usual(t *testing.T, name string, names ...string) {
	t.Helper()
	if testing.Short() && !slices.Contains(names, name) {
		t.Skip("a rare case: without -short")
	}
}

// Existing hooks run as Git would have run them: with their name, their neighbours, their input and their
// exit code (WP-18).
func TestHooksOfOthersRunAsBefore(t *testing.T) {
	for name, one := range map[string]struct {
		prepare func(f *fixture)
		do      string
		code    int
		said    string
	}{
		"plain":                       {func(f *fixture) { f.hook(".git/hooks/pre-commit", "#!/bin/sh\necho theirs in \"$PWD\"\n") }, "cd $A; commit a.go", 0, "theirs in "},
		"failing":                     {func(f *fixture) { f.hook(".git/hooks/pre-commit", "#!/bin/sh\necho no >&2\nexit 3\n") }, "cd $A; commit a.go", 1, "no"},
		"no shebang":                  {func(f *fixture) { f.hook(".git/hooks/pre-commit", "echo theirs\n") }, "cd $A; commit a.go", 0, "theirs"},
		"another tongue":              {func(f *fixture) { f.hook(".git/hooks/pre-commit", "#!/usr/bin/env -S sh -e\necho theirs\nfalse\n") }, "cd $A; commit a.go", 1, "theirs"},
		"line ends of another system": {func(f *fixture) { f.hook(".git/hooks/pre-commit", "#!/bin/sh\r\nexit 0\r\n") }, "cd $A; commit a.go", 1, "pre-commit"},
		"not executable": {func(f *fixture) {
			f.hook(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
			require.NoError(f.t, os.Chmod(f.path(".git/hooks/pre-commit"), 0o644))
		}, "cd $A; commit a.go", 0, ""},
		"a link": {func(f *fixture) {
			f.hook("tools/check.sh", "#!/bin/sh\necho theirs\n")
			require.NoError(f.t, os.MkdirAll(f.path(".git/hooks"), 0o755))
			require.NoError(f.t, os.Symlink("../../tools/check.sh", f.path(".git/hooks/pre-commit")))
		}, "cd $A; commit a.go", 0, "theirs"},
		"its name and neighbours": {func(f *fixture) {
			f.hook(".git/hooks/runner.sh", "echo \"theirs is $(basename \"$0\")\"\n")
			f.hook(".git/hooks/pre-commit", "#!/bin/sh\n. \"$(dirname \"$0\")/runner.sh\"\n")
		}, "commit x.go; cd $A; commit a.go", 0, "theirs is pre-commit\n"},
		"input": {func(f *fixture) {
			f.hook(".git/hooks/post-rewrite", "#!/bin/sh\necho \"theirs: $1 $(wc -l | tr -d ' ')\"\n")
		}, "cd $A; commit a.go; git commit -q --amend -m b", 0, "theirs: amend 1"},
		"exit code of a checkout": {func(f *fixture) {
			f.hook(".git/hooks/post-checkout", "#!/bin/sh\n[ \"$(git symbolic-ref --short -q HEAD)\" != other ] || exit 7\n")
		}, "cd $A; git checkout -q -b other", 1, ""},
		"arguments":           {func(f *fixture) { f.hook(".git/hooks/post-checkout", "#!/bin/sh\necho \"theirs: $# $3\"\n") }, "git checkout README.md", 0, "theirs: 3 0"},
		"not after a refusal": {func(f *fixture) { f.hook(".git/hooks/pre-commit", "#!/bin/sh\necho theirs\n") }, "commit x.go | grep -c theirs", 1, "blocked"},
		"husky": {func(f *fixture) {
			f.hook(".husky/_/h", "n=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\n")
			f.hook(".husky/_/pre-commit", "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n")
			f.hook(".husky/_/commit-msg", "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n")
			f.hook(".husky/_/.gitignore", "*\n")
			f.hook(".husky/pre-commit", "echo husky checks\n")
			f.hook(".husky/commit-msg", "echo husky reads $1\n")
			f.git("", "add", ".husky")
			f.git("", "commit", "-q", "-m", "husky")
			f.git("", "config", "core.hooksPath", ".husky/_")
		}, "SAW_ALLOW_MAIN_COMMIT=1 commit x.go", 0, "husky checks\nhusky reads .git/COMMIT_EDITMSG"},
		"hooks that are tracked": {func(f *fixture) {
			f.hook("git hooks/pre-commit", "#!/bin/sh\necho \"tracked in $(basename \"$PWD\")\"\n")
			f.git("", "add", ".")
			f.git("", "commit", "-q", "-m", "hooks")
			f.git("", "config", "core.hooksPath", "git hooks")
		}, "git status --short; cd $A; commit a.go", 0, "tracked in wave1-agent-A\n"},
	} {
		t.Run(name, func(t *testing.T) {
			usual(t, name, "failing", "its name and neighbours", "husky", "hooks that are tracked")
			t.Parallel()
			f := newFixture(t)
			one.prepare(f)
			before := f.git("", "config", "--list", "--local")
			was, dirty := f.files(".git/hooks"), f.dirty()
			r, _ := f.work("A", "B")
			said, code := f.sh(one.do)
			require.Equal(t, one.code, code, said)
			require.Contains(t, said, one.said)
			_, code = f.sh("git reset -q; commit y.go")
			require.Equal(t, 1, code, "main is guarded")
			require.Contains(t, f.told(), "git.commit main  y.go blocked")
			f.git("", "rm", "-q", "-f", "--ignore-unmatch", "x.go", "y.go")
			require.Equal(t, dirty, f.dirty(), "nothing of ours lies in the worktree")

			facts, notes, err := Remove(t.Context(), r)
			require.NoError(t, err)
			require.Empty(t, notes)
			require.Equal(t, []string{"hook.removed"}, told(facts))
			require.Equal(t, was, f.files(".git/hooks"))
			require.Equal(t, before, f.git("", "config", "--list", "--local"))
		})
	}
}

// dirty returns what differs from the commit, ignoring the folder of the worktrees.
func (f *fixture) dirty() string {
	return f.git("", "status", "--short", "--", ".", ":(exclude).claude", ":(exclude)x.go")
}

// files returns the files of a folder, with mode and content.
func (f *fixture) files(folder string) (out []string) {
	f.t.Helper()
	entries, err := os.ReadDir(f.path(folder))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(f.t, err)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".sample") {
			continue
		}
		info, err := entry.Info()
		require.NoError(f.t, err)
		text, err := os.ReadFile(f.path(folder + "/" + entry.Name()))
		require.NoError(f.t, err)
		out = append(out, info.Mode().String()+" "+entry.Name()+" "+string(text))
	}
	return out
}

// The pre-commit framework renames a hook that it finds to .legacy and still calls it: main stays guarded,
// and the former hooks are restored.
func TestAHookManagerMovesOurs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.hook(".git/hooks/pre-commit", "#!/bin/sh\necho theirs\n")
	r, i := f.work("A")
	_, code := f.sh("mv .git/hooks/pre-commit .git/hooks/pre-commit.legacy")
	require.Zero(t, code)
	manager := "#!/bin/sh\necho manager\nexec \"$(dirname \"$0\")/pre-commit.legacy\" \"$@\"\n"
	f.hook(".git/hooks/pre-commit", manager)
	said, code := f.sh("commit x.go")
	require.Equal(t, 1, code)
	require.Contains(t, said, "manager\nscaffoldwatch: this commit to main is blocked")
	said, code = f.sh("cd $A; commit a.go")
	require.Zero(t, code)
	require.Contains(t, said, "manager\ntheirs")
	require.Empty(t, r.Trouble(t.Context(), i))
	f.hooked("")
	require.Len(t, f.files(".git/hooks"), len(Names)+2, "installing again finds it")
	_, notes, err := Remove(t.Context(), r)
	require.NoError(t, err)
	require.Empty(t, notes)
	said, code = f.sh("commit x.go")
	require.Zero(t, code)
	require.Equal(t, "manager\ntheirs\n", said)
}

// A folder of hooks that many repositories share is left as it is.
func TestHooksOfAllRepositories(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	shared := filepath.Join(filepath.Dir(f.dir), "shared")
	f.hook("../shared/pre-commit", "#!/bin/sh\necho shared\n")
	other := newFixture(t)
	for _, one := range []*fixture{f, other} {
		one.git("", "config", "core.hooksPath", shared)
	}
	r, _ := f.work("A")
	require.Equal(t, filepath.Join(r.Common, "scaffoldwatch", "hooks"), r.Hooks)
	said, code := other.sh("commit x.go")
	require.Zero(t, code)
	require.Equal(t, "shared\n", said)
	said, _ = f.sh("cd $A; commit x.go")
	require.Equal(t, "shared\n", said)
	require.Len(t, f.files("../shared"), 1)
}

// Changes that somebody makes to the hooks are reported, and installing again repairs them; removing leaves
// their files alone.
func TestHooksThatAreChangedMeanwhile(t *testing.T) {
	for name, one := range map[string]struct {
		path    string // core.hooksPath
		do      string
		trouble string
		mended  bool
		note    string
	}{
		"changed":            {"", "echo '# mine' >> .git/hooks/pre-commit", "the hook pre-commit was changed by somebody else", false, "pre-commit was changed by somebody else and stays; the original hook is pre-commit.before-scaffoldwatch"},
		"gone":               {"", "rm .git/hooks/pre-commit", "the hook pre-commit was changed", true, ""},
		"backup gone":        {"", "rm .git/hooks/*.before-scaffoldwatch", "", true, "is gone, and with it the original hook"},
		"all gone":           {"", "rm -r .git/hooks", "the hook pre-commit was changed", true, "is gone, and with it the original hook"},
		"path set":           {"", "git config core.hooksPath .husky", "core.hooksPath was changed: main is not guarded", true, ""},
		"path set back":      {".husky", "git config core.hooksPath .husky", "core.hooksPath was changed: main is not guarded", true, "core.hooksPath was changed by somebody else and stays"},
		"path set elsewhere": {".husky", "git config core.hooksPath .other", "core.hooksPath was changed: main is not guarded", true, "core.hooksPath was changed by somebody else and stays"},
	} {
		t.Run(name, func(t *testing.T) {
			usual(t, name, "changed", "path set back")
			t.Parallel()
			f := newFixture(t)
			f.hook(".git/hooks/pre-commit", "#!/bin/sh\necho theirs\n")
			if one.path != "" {
				f.git("", "config", "core.hooksPath", one.path)
			}
			r, i := f.work("A")
			require.Empty(t, r.Trouble(t.Context(), i))
			_, code := f.sh(one.do)
			require.Zero(t, code)
			trouble := strings.Join(r.Trouble(t.Context(), i), "\n")
			if one.trouble == "" {
				require.Empty(t, trouble)
			}
			require.Contains(t, trouble, one.trouble)

			again := &fixture{t: t, dir: filepath.Join(t.TempDir(), "copy")}
			require.NoError(t, os.CopyFS(again.dir, os.DirFS(f.dir)))
			if one.mended {
				r, i := again.hooked("")
				require.Empty(t, r.Trouble(t.Context(), i))
				_, code := again.sh("git worktree add -q -b wave1-agent-C .claude/worktrees/wave1-agent-C; commit x.go")
				require.Equal(t, 1, code, "main is guarded again")
			}
			facts, notes, err := Remove(t.Context(), r)
			require.NoError(t, err)
			require.Equal(t, []string{"hook.removed"}, told(facts))
			require.Contains(t, strings.Join(notes, "\n"), one.note)
			_, code = f.sh("git config --unset core.hooksPath; commit x.go")
			require.True(t, code == 0 || name == "changed", "nothing is guarded any more")
		})
	}
}

// A worktree that has settings of its own keeps them.
func TestHooksOfOneWorktree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("", "config", "extensions.worktreeConfig", "true")
	f.git("", "config", "--worktree", "core.hooksPath", ".own")
	_, err := Install(t.Context(), f.open(), Installation{Run: "r1", Binary: "/bin/true"})
	require.ErrorContains(t, err, "core.hooksPath is set for this worktree alone")
	require.Equal(t, ".own", f.git("", "config", "core.hooksPath"))
	_, err = f.open().Installation()
	require.ErrorIs(t, err, ErrNotInstalled)
}

// Repositories whose files are not beside their Git directory.
func TestRepositoriesOfOtherShapes(t *testing.T) {
	const count = "wave1-agent-A=1"
	for name, one := range map[string]struct {
		make string // leaves the repository to install in at $PWD/shape
		main string // where main is checked out, to be guarded
	}{
		"bare":               {"git clone -q --bare . shape; git -C shape worktree add -q trunk main", "shape/trunk"},
		"apart":              {"git init -q -b main --separate-git-dir=\"$PWD/apart.git\" shape; git -C shape commit -q --allow-empty -m x", "shape"},
		"submodule":          {"git init -q -b main super; git -C super -c protocol.file.allow=always submodule add -q \"$PWD\" sub 2>/dev/null; ln -s super/sub shape", "super/sub"},
		"from a worktree":    {"git clone -q . one; git -C one worktree add -q -b other ../shape", "one"},
		"a newline and more": {"git clone -q . \"./$(printf -- '-a\\nb ü')\"; ln -s \"./$(printf -- '-a\\nb ü')\" shape", "shape"},
	} {
		t.Run(name, func(t *testing.T) {
			usual(t, name, "bare")
			t.Parallel()
			f := newFixture(t)
			said, code := f.sh("git config --unset user.name; git config --unset user.email; export GIT_AUTHOR_NAME=m GIT_AUTHOR_EMAIL=m@x GIT_COMMITTER_NAME=m GIT_COMMITTER_EMAIL=m@x; " + one.make)
			require.Zero(t, code, said)
			dir, err := filepath.EvalSymlinks(f.path("shape"))
			require.NoError(t, err)
			s := &fixture{t: t, dir: dir}
			s.git("", "config", "user.name", "mara")
			s.git("", "config", "user.email", "mara@shop.example")
			r, i := s.hooked("")
			require.Equal(t, "main", i.Main)
			main := &fixture{t: t, dir: f.path(one.main)}
			_, code = main.sh("commit z.go")
			require.Zero(t, code, "there is no wave yet")
			s.git("", "worktree", "add", "-q", "-b", "wave1-agent-A", filepath.Join(filepath.Dir(dir), "wave1-agent-A"), "main")
			said, code = main.sh("echo u > u.go; commit x.go")
			require.Equal(t, 1, code, said)
			require.Contains(t, said, "(branch wave1-agent-A)")
			a := &fixture{t: t, dir: filepath.Join(filepath.Dir(dir), "wave1-agent-A")}
			said, code = a.sh("commit a.go")
			require.Zero(t, code, said)
			all := strings.Join(s.told(), "\n")
			require.Contains(t, all, "git.commit main  x.go blocked")
			require.Contains(t, all, "git.commit wave1-agent-A A a.go")
			facts, err := Count(t.Context(), r, i, "")
			require.NoError(t, err)
			require.Equal(t, "git.counted "+count, told(facts)[len(facts)-1])
			require.ElementsMatch(t, []string{"u.go", "x.go"}, uncommittedIn(facts))
			_, notes, err := Remove(t.Context(), r)
			require.NoError(t, err)
			require.Empty(t, notes)
			_, code = main.sh("commit x.go 2")
			require.Zero(t, code)
		})
	}
}

// Git before 2.36 lists worktrees without -z.
func TestOldGit(t *testing.T) {
	f := newFixture(t)
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "git"), []byte("#!/bin/sh\ncase \"$*\" in 'worktree list --porcelain -z') echo 'error: unknown switch z' >&2; exit 129;; esac\nexec "+git+" \"$@\"\n"), 0o755))
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	r, i := f.work("A", "B")
	said, code := f.sh("commit x.go")
	require.Equal(t, 1, code)
	require.Contains(t, said, ".claude/worktrees/wave1-agent-B   (branch wave1-agent-B)")
	require.Equal(t, []string{"git.commit main  x.go blocked"}, f.told())
	require.Equal(t, []string{"git.counted wave1-agent-A=0 wave1-agent-B=0"}, f.count(r, i))
}
