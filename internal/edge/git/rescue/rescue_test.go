package rescue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// repository returns a new one with a commit of a.txt.
func repository(t *testing.T) string {
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	write(t, dir, "a.txt", "one\n")
	write(t, dir, ".gitignore", "ignored/\n")
	git(t, dir, "add", ".")
	git(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first")
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := runGit(t.Context(), dir, nil, args...)
	require.NoError(t, err)
	return strings.TrimSpace(out)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

// A snapshot holds what is changed, staged and new, not what is ignored; neither the
// index nor a file is touched.
func TestTake(t *testing.T) {
	dir := repository(t)
	write(t, dir, "a.txt", "two\n")
	write(t, dir, "staged.txt", "staged\n")
	git(t, dir, "add", "staged.txt")
	write(t, dir, "sub/new.txt", "new\n")
	write(t, dir, "ignored/x", "x")
	index, status := read(t, dir, ".git/index"), git(t, dir, "status", "--porcelain")

	s, err := Take(t.Context(), filepath.Join(dir, "sub"), "s1-7", "git reset --hard", noon)
	require.NoError(t, err)
	require.Equal(t, Refs+"s1-7", s.Ref)
	require.Equal(t, 3, s.Files)
	require.Equal(t, "two", git(t, dir, "show", s.Ref+":a.txt"))
	require.Equal(t, "a.txt\nstaged.txt\nsub/new.txt", git(t, dir, "diff-tree", "-r", "--name-only", "HEAD", s.Ref))
	require.Equal(t, index, read(t, dir, ".git/index"))
	require.Equal(t, status, git(t, dir, "status", "--porcelain"))
	require.Equal(t, "main", git(t, dir, "rev-parse", "--abbrev-ref", "HEAD"))

	again, err := Take(t.Context(), dir, "s1-7", "git clean -fd", noon)
	require.NoError(t, err)
	require.Equal(t, "s1-7.2", again.Name, "a name that is taken gets a number")
}

// A file of the same size, changed in the instant in which the index was written, is found.
func TestTakeSameInstant(t *testing.T) {
	dir := repository(t)
	git(t, dir, "config", "core.trustctime", "false")
	require.NoError(t, os.Chtimes(filepath.Join(dir, "a.txt"), noon, noon))
	git(t, dir, "add", "a.txt")
	require.NoError(t, os.Chtimes(filepath.Join(dir, ".git", "index"), noon, noon))
	write(t, dir, "a.txt", "two\n")
	require.NoError(t, os.Chtimes(filepath.Join(dir, "a.txt"), noon, noon))
	s, err := Take(t.Context(), dir, "s1-1", "x", noon)
	require.NoError(t, err)
	require.Equal(t, "two", git(t, dir, "show", s.Ref+":a.txt"))
}

func TestTakeNothing(t *testing.T) {
	dir := repository(t)
	_, err := Take(t.Context(), dir, "s1-1", "x", noon)
	require.ErrorIs(t, err, ErrNothing)
	require.Empty(t, git(t, dir, "for-each-ref", Refs))
}

func TestTakeWithoutCommits(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir, "a.txt", "one\n")
	s, err := Take(t.Context(), dir, "s/1 ü-1", "x", noon)
	require.NoError(t, err)
	require.Equal(t, "s-1---1", s.Name, "a session's name becomes one that a ref may have")
	require.Equal(t, "one", git(t, dir, "show", s.Ref+":a.txt"))
}

func TestTakeInALinkedWorktree(t *testing.T) {
	dir := repository(t)
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, dir, "worktree", "add", "-q", "-b", "side", linked)
	write(t, linked, "b.txt", "b\n")
	s, err := Take(t.Context(), linked, "s1-1", "x", noon)
	require.NoError(t, err)
	require.Equal(t, "b", git(t, dir, "show", s.Ref+":b.txt"), "the repository keeps it")
	require.Equal(t, "?? b.txt", git(t, linked, "status", "--porcelain"))
}

// A submodule stays the commit that it is; its own uncommitted work is not in the snapshot.
func TestTakeWithASubmodule(t *testing.T) {
	dir, module := repository(t), repository(t)
	git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module, "lib")
	write(t, dir, "lib/new.txt", "x")
	write(t, dir, "a.txt", "two\n")
	s, err := Take(t.Context(), dir, "s1-1", "x", noon)
	require.NoError(t, err)
	require.Contains(t, git(t, dir, "ls-tree", s.Ref, "lib"), "160000 commit")
	require.Equal(t, "x", read(t, dir, "lib/new.txt"))
}

func TestTakeNeedsFiles(t *testing.T) {
	bare := t.TempDir()
	git(t, bare, "init", "-q", "--bare")
	_, err := Take(t.Context(), bare, "s1-1", "x", noon)
	require.ErrorContains(t, err, "a bare repository")
	_, err = Take(t.Context(), t.TempDir(), "s1-1", "x", noon)
	require.ErrorContains(t, err, "not a Git repository")
}

func TestPrune(t *testing.T) {
	dir := repository(t)
	write(t, dir, "a.txt", "two\n")
	for day, name := range []string{"old-1", "new-1"} {
		_, err := Take(t.Context(), dir, name, "x", noon.AddDate(0, 0, day))
		require.NoError(t, err)
	}
	now := noon.Add(Kept + time.Hour)
	old, err := Prune(t.Context(), dir, now, true)
	require.NoError(t, err)
	require.Len(t, old, 1)
	list, err := List(t.Context(), dir)
	require.NoError(t, err)
	require.Len(t, list, 2, "a dry run removes nothing")
	_, err = Prune(t.Context(), dir, now, false)
	require.NoError(t, err)
	list, err = List(t.Context(), dir)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "new-1", list[0].Name)
	require.Equal(t, "x", list[0].Why)
}

// BenchmarkTake is a snapshot of 1,000 changed and new files (PD: at most 300 ms).
func BenchmarkTake(b *testing.B) {
	dir := b.TempDir()
	must := func(args ...string) {
		_, err := runGit(b.Context(), dir, nil, args...)
		require.NoError(b, err)
	}
	must("init", "-q")
	for i := range 1000 {
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.txt", i)), fmt.Append(nil, "file ", i, strings.Repeat(" x", 500)), 0o644))
	}
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		require.NoError(b, os.RemoveAll(filepath.Join(dir, ".git")))
		must("init", "-q")
		b.StartTimer()
		_, err := Take(b.Context(), dir, fmt.Sprint("s-", n), "x", noon)
		require.NoError(b, err)
	}
}

// A restore writes what the snapshot changed; what is uncommitted by then is kept first.
func TestRestore(t *testing.T) {
	dir := repository(t)
	write(t, dir, "a.txt", "two\n")
	write(t, dir, "sub/new.txt", "new\n")
	s, err := Take(t.Context(), dir, "s1-7", "git clean -fd", noon)
	require.NoError(t, err)
	git(t, dir, "reset", "-q", "--hard")
	git(t, dir, "clean", "-qfd")
	write(t, dir, "a.txt", "three\n")
	write(t, dir, "later.txt", "later\n")

	dry, err := s.Restore(t.Context(), dir, nil, true, noon)
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt", "sub/new.txt"}, dry.Files)
	require.Equal(t, "three\n", read(t, dir, "a.txt"), "a dry run writes nothing")
	require.Nil(t, dry.Before)

	done, err := s.Restore(t.Context(), dir, nil, false, noon)
	require.NoError(t, err)
	require.Equal(t, "two\n", read(t, dir, "a.txt"))
	require.Equal(t, "new\n", read(t, dir, "sub/new.txt"))
	require.Equal(t, "later\n", read(t, dir, "later.txt"))
	require.Empty(t, git(t, dir, "diff", "--cached", "--name-only"), "the index stays as it is")
	require.Equal(t, "three", git(t, dir, "show", done.Before.Ref+":a.txt"))
	require.Equal(t, "later", git(t, dir, "show", done.Before.Ref+":later.txt"))
}

func TestRestoreSomePaths(t *testing.T) {
	dir := repository(t)
	write(t, dir, "a.txt", "two\n")
	write(t, dir, "sub/*.txt", "star\n")
	s, err := Take(t.Context(), dir, "s1-7", "x", noon)
	require.NoError(t, err)
	git(t, dir, "reset", "-q", "--hard")
	git(t, dir, "clean", "-qfd")
	write(t, dir, "sub/keep.txt", "k\n")
	done, err := s.Restore(t.Context(), filepath.Join(dir, "sub"), []string{"."}, false, noon)
	require.NoError(t, err)
	require.Equal(t, []string{"sub/*.txt"}, done.Files)
	require.Equal(t, "one\n", read(t, dir, "a.txt"))
	_, err = s.Restore(t.Context(), dir, []string{"absent"}, false, noon)
	require.ErrorContains(t, err, "has nothing under absent")
}

// A file that Git ignores by now is in no snapshot, so it is not written over.
func TestRestoreLeavesIgnoredFiles(t *testing.T) {
	dir := repository(t)
	write(t, dir, "local.txt", "first\n")
	s, err := Take(t.Context(), dir, "s1-7", "x", noon)
	require.NoError(t, err)
	write(t, dir, ".git/info/exclude", "local.txt\n")
	write(t, dir, "local.txt", "second\n")
	done, err := s.Restore(t.Context(), dir, nil, false, noon)
	require.NoError(t, err)
	require.Equal(t, []string{"local.txt"}, done.Left)
	require.Equal(t, "second\n", read(t, dir, "local.txt"))
}

func TestFind(t *testing.T) {
	dir := repository(t)
	_, err := Find(t.Context(), dir, "")
	require.ErrorContains(t, err, "has no snapshots")
	write(t, dir, "a.txt", "two\n")
	for hour, name := range []string{"s1-1", "s1-2"} {
		_, err := Take(t.Context(), dir, name, "x", noon.Add(time.Duration(hour)*time.Hour))
		require.NoError(t, err)
	}
	newest, err := Find(t.Context(), dir, "")
	require.NoError(t, err)
	require.Equal(t, "s1-2", newest.Name)
	_, err = Find(t.Context(), dir, "s9-1")
	require.ErrorContains(t, err, "no snapshot s9-1")
	patch, err := newest.Patch(t.Context(), dir)
	require.NoError(t, err)
	require.Contains(t, patch, "+two")
}

func TestRestoreWithoutCommits(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir, "a.txt", "one\n")
	s, err := Take(t.Context(), dir, "s1-1", "x", noon)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "a.txt")))
	done, err := s.Restore(t.Context(), dir, nil, false, noon)
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt"}, done.Files)
	require.Equal(t, "one\n", read(t, dir, "a.txt"))
}

// What is staged otherwise than in the files is in the snapshot too, also where the file is gone, and is
// staged again without a change of the files.
func TestStagedVersions(t *testing.T) {
	dir := repository(t)
	write(t, dir, "a.txt", "staged\n")
	write(t, dir, "new.txt", "staged and gone\n")
	write(t, dir, "same.txt", "staged as it is\n")
	git(t, dir, "add", "a.txt", "new.txt", "same.txt")
	write(t, dir, "a.txt", "in the file\n")
	require.NoError(t, os.Remove(filepath.Join(dir, "new.txt")))

	s, err := Take(t.Context(), dir, "s1-3", "git reset", noon)
	require.NoError(t, err)
	require.Equal(t, 2, s.Staged)
	files, err := s.StagedFiles(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt", "new.txt"}, files)

	git(t, dir, "reset", "-q")
	done, err := s.RestoreStaged(t.Context(), dir, false, noon)
	require.NoError(t, err)
	require.NotNil(t, done.Before)
	require.Equal(t, "staged", git(t, dir, "show", ":a.txt"))
	require.Equal(t, "staged and gone", git(t, dir, "show", ":new.txt"))
	require.Equal(t, "in the file\n", read(t, dir, "a.txt"))

	plain, err := Find(t.Context(), dir, done.Before.Name)
	require.NoError(t, err)
	_, err = plain.RestoreStaged(t.Context(), dir, false, noon)
	require.ErrorContains(t, err, "has no staged version")
}

// A snapshot of what is only staged is one.
func TestOnlyStaged(t *testing.T) {
	dir := repository(t)
	before := read(t, dir, "a.txt")
	write(t, dir, "a.txt", "staged\n")
	git(t, dir, "add", "a.txt")
	write(t, dir, "a.txt", before)
	s, err := Take(t.Context(), dir, "s1-4", "git reset", noon)
	require.NoError(t, err)
	require.Zero(t, s.Files)
	require.Equal(t, 1, s.Staged)
}
