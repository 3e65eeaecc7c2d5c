package observe

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// repository makes a repository with a commit of a.txt.
func repository(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	git(t, folder, "init", "-q", "-b", "main")
	write(t, folder, "a.txt", "one\n")
	git(t, folder, "add", "a.txt")
	git(t, folder, "commit", "-qm", "first")
	return folder
}

func git(t *testing.T, folder string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	file := filepath.Join(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// at looks, with enough time for a machine that is busy.
func at(l Look, q ledger.Questions) *sessionevents.WorkspaceObserved {
	return l.At(context.Background(), q)
}

func byPath(o *sessionevents.WorkspaceObserved) map[string]sessionevents.ObservedPath {
	out := map[string]sessionevents.ObservedPath{}
	for _, p := range o.Paths {
		out[p.Path] = p
	}
	return out
}

// patient repeats a look that a busy machine cut short.
func patient(t *testing.T, l Look, q ledger.Questions, done func(*sessionevents.WorkspaceObserved) bool) *sessionevents.WorkspaceObserved {
	t.Helper()
	var o *sessionevents.WorkspaceObserved
	require.Eventually(t, func() bool {
		o = at(l, q)
		return o != nil && done(o)
	}, time.Minute, 10*time.Millisecond)
	return o
}

func TestPaths(t *testing.T) {
	root := t.TempDir()
	write(t, root, "src/here.go", "package src\n")
	write(t, root, "sub/deep/there.go", "package deep\n")
	l := Look{Workspace: root, Folder: filepath.Join(root, "sub"), Wrote: []string{filepath.Join(root, "sub/deep/there.go"), "sub/lost.go"}}
	o := at(l, ledger.Questions{Paths: []string{"src/here.go", "src/gone.go", "deep/there.go", "there.go", "lost.go", "anywhere.go", "no/such/folder.go", "~/x.go"}})
	got := byPath(o)
	require.True(t, got["src/here.go"].Exists)
	require.True(t, got["sub/deep/there.go"].Exists, "a name may leave out its folders")
	require.False(t, got["sub/lost.go"].Exists)
	require.Contains(t, got, "sub/lost.go", "the session wrote it, so it is known where it would be")
	require.Contains(t, got, "src/gone.go", "its folder is there")
	for path := range got {
		require.NotContains(t, path, "anywhere", "a bare name that nobody wrote may be anywhere")
		require.NotContains(t, path, "folder.go")
		require.NotContains(t, path, "x.go")
	}
	require.Nil(t, at(Look{Workspace: filepath.Join(root, "none")}, ledger.Questions{Paths: []string{"a/b.go"}}))
	require.Nil(t, at(l, ledger.Questions{}))
}

// A key is looked for, its value never leaves the file.
func TestKeys(t *testing.T) {
	config, err := ledger.Load(rules.Default())
	require.NoError(t, err)
	root := t.TempDir()
	value := "s3" + "cr3t-value"
	write(t, root, ".env", "# SHOP_OLD=1\nSHOP_URL="+value+"\nexport SHOP_MODE=x\n")
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(root, "linked.env")))
	q := ledger.Questions{Keys: []sessionevents.ObservedKey{
		{Path: ".env", Key: "SHOP_URL"}, {Path: ".env", Key: "SHOP_MODE"}, {Path: ".env", Key: "SHOP_OLD"}, {Path: "linked.env", Key: "SHOP_URL"}, {Path: "other.env", Key: "SHOP_URL"},
	}}
	o := at(Look{Workspace: root, Sets: config.Sets}, q)
	require.Equal(t, []sessionevents.ObservedKey{
		{Path: ".env", Key: "SHOP_URL", Set: true}, {Path: ".env", Key: "SHOP_MODE", Set: true}, {Path: ".env", Key: "SHOP_OLD"},
	}, o.Keys)
	require.NotContains(t, strings.Join([]string{o.Keys[0].Key, o.Keys[0].Path}, " "), value)
}

func TestGit(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "*.log\n")
	write(t, root, "a.txt", "two\n")
	write(t, root, "sub/new.txt", "new\n")
	write(t, root, "run.log", "x\n")
	git(t, root, "add", ".gitignore")
	l := Look{Workspace: filepath.Join(root, "sub"), Wrote: []string{"../a.txt", "new.txt", filepath.Join(root, "run.log"), filepath.Join(root, ".gitignore"), "/elsewhere/b.txt"}}
	status := func(o *sessionevents.WorkspaceObserved) bool { return o.Commit != "" && len(o.Paths) > 0 }
	o := patient(t, l, ledger.Questions{Commits: true}, status)
	got := byPath(o)
	require.True(t, *got[filepath.Join(root, "a.txt")].Changed, "%+v", o)
	require.True(t, *got[filepath.Join(root, "a.txt")].Tracked)
	require.True(t, *got["new.txt"].Changed)
	require.False(t, *got["new.txt"].Tracked)
	require.Nil(t, got[filepath.Join(root, "run.log")].Changed, "Git ignores it")
	require.True(t, *got[filepath.Join(root, ".gitignore")].Changed, "what is only staged is not committed")
	require.NotContains(t, got, "/elsewhere/b.txt")
	require.Equal(t, git(t, root, "rev-parse", "HEAD"), o.Commit)
	require.Nil(t, o.Unpushed)

	git(t, root, "add", "-A")
	git(t, root, "commit", "-qm", "second")
	o = patient(t, l, ledger.Questions{Commits: true, Pushes: true}, status)
	require.False(t, *byPath(o)["new.txt"].Changed)
	require.Nil(t, o.Unpushed, "there is no remote")

	remote := t.TempDir()
	git(t, remote, "init", "-q", "--bare")
	git(t, root, "remote", "add", "origin", remote)
	git(t, root, "push", "-q", "origin", "main")
	write(t, root, "a.txt", "three\n")
	git(t, root, "commit", "-qam", "third")
	pushed := func(o *sessionevents.WorkspaceObserved) bool { return o.Unpushed != nil }
	require.Equal(t, 1, *patient(t, l, ledger.Questions{Pushes: true}, pushed).Unpushed)
	git(t, root, "push", "-q", "origin", "main")
	require.Equal(t, 0, *patient(t, l, ledger.Questions{Pushes: true}, pushed).Unpushed)
	require.Nil(t, at(Look{Workspace: t.TempDir()}, ledger.Questions{Commits: true}).Paths)
}

// Of a session that is over only what has not changed since is said.
func TestWhatChangedLaterIsLeftOut(t *testing.T) {
	root := repository(t)
	write(t, root, "made/b.txt", "b\n")
	write(t, root, "a.txt", "two\n")
	l := Look{Workspace: root, Wrote: []string{"a.txt", "made/b.txt"}, AsOf: time.Now()}
	q := ledger.Questions{Paths: []string{"made/b.txt", "made/c.txt"}, Commits: true, Pushes: true}
	o := patient(t, l, q, func(o *sessionevents.WorkspaceObserved) bool { return len(o.Paths) == 3 })
	require.NotEmpty(t, o.Commit)
	l.AsOf = time.Now().Add(-time.Hour)
	o = at(l, q)
	require.Empty(t, o.Paths)
	require.Empty(t, o.Commit)
	require.Nil(t, o.Unpushed)
	old := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(root, "made/b.txt"), old, old))
	o = at(l, q)
	require.Len(t, o.Paths, 1, "b.txt is older, and that c.txt is missing may be new")
	require.NoError(t, os.Chtimes(filepath.Join(root, "made"), old, old))
	require.Len(t, at(l, q).Paths, 2)
}

// A look runs nothing that the repository names and changes nothing (JD-20).
func TestNothingRunsAndNothingIsWritten(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitattributes", "*.txt filter=evil\n")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-qm", "attributes")
	mark := filepath.Join(t.TempDir(), "ran")
	trap := filepath.Join(t.TempDir(), "trap.sh")
	require.NoError(t, os.WriteFile(trap, []byte("#!/bin/sh\ntouch "+mark+"\ncat\n"), 0o755))
	hooks := filepath.Join(root, ".git", "hooks")
	require.NoError(t, os.MkdirAll(hooks, 0o755))
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "pre-commit", "reference-transaction", "post-checkout"} {
		require.NoError(t, os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o755))
	}
	for _, setting := range [][2]string{
		{"core.fsmonitor", trap},
		{"core.pager", trap},
		{"core.sshCommand", trap},
		{"core.askPass", trap},
		{"core.editor", trap},
		{"diff.external", trap},
		{"filter.evil.clean", trap},
		{"filter.evil.smudge", trap},
		{"filter.evil.process", trap},
		{"filter.evil.required", "true"},
		{"log.showSignature", "true"},
		{"gpg.program", trap},
		{"pager.status", trap},
		{"alias.status", "!" + trap},
		{"remote.origin.url", "ext::" + trap},
		{"protocol.ext.allow", "always"},
		{"remote.origin.promisor", "true"},
		{"extensions.partialClone", "origin"},
		{"credential.helper", trap},
		{"interactive.diffFilter", trap},
	} {
		git(t, root, "-c", "core.fsmonitor=false", "config", setting[0], setting[1])
	}
	write(t, root, "a.txt", "changed\n")
	before := digest(t, root)
	l := Look{Workspace: root, Wrote: []string{"a.txt", "b.txt"}}
	o := patient(t, l, ledger.Questions{Paths: []string{"src/a.txt"}, Commits: true, Pushes: true}, func(o *sessionevents.WorkspaceObserved) bool { return o.Commit != "" && len(o.Paths) > 0 })
	require.Nil(t, byPath(o)["a.txt"].Changed, "what a filter would make of it is not known")
	require.NoFileExists(t, mark)
	require.Equal(t, before, digest(t, root))

	git(t, root, "-c", "core.fsmonitor=false", "config", "filter.x=y.clean", trap)
	o = at(l, ledger.Questions{Commits: true})
	require.Empty(t, o.Commit, "a filter that cannot be left out: Git is not asked")
	require.NoFileExists(t, mark)
}

// digest returns every file below a folder with its size and time.
func digest(t *testing.T, root string) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			out.WriteString(name + " " + info.ModTime().String() + " " + info.Mode().String() + "\n")
		}
		return err
	}))
	return out.String()
}

// All questions together end in time, however large the repository is and however long Git takes.
func TestALookIsShort(t *testing.T) {
	root := repository(t)
	for i := range 400 {
		write(t, root, filepath.Join("d", string(rune('a'+i%26)), "f"+strings.Repeat("x", i%40)+".txt"), "x\n")
	}
	l := Look{Workspace: root, Wrote: []string{"a.txt", "d/a/f.txt"}}
	q := ledger.Questions{Paths: []string{"d/a/f.txt", "d/none.txt"}, Commits: true, Pushes: true}
	var took []time.Duration
	for range 9 {
		began := time.Now()
		at(l, q)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("a look at four questions: median %v, worst %v", took[len(took)/2], took[len(took)-1])

	// A Git that hangs is given up.
	slow := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(slow, "git"), []byte("#!/bin/sh\nexec sleep 30\n"), 0o755))
	t.Setenv("PATH", slow+string(os.PathListSeparator)+os.Getenv("PATH"))
	began := time.Now()
	o := at(l, q)
	require.Less(t, time.Since(began), 15*time.Second, "before that Git answers")
	require.Empty(t, o.Commit)
	require.Len(t, o.Paths, 2, "the paths need no Git")
}
