package rescue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Refs is the ref namespace of snapshots.
const Refs = "refs/scaffoldwatch/rescue/"

var (
	// ErrNothing is returned if nothing is uncommitted.
	ErrNothing = errors.New("nothing is uncommitted")
	// ErrNoWorktree is returned if a folder is in no worktree of Git.
	ErrNoWorktree = errors.New("not a Git repository, or its folder cannot be read")
)

// Snapshot is a snapshot of uncommitted work.
type Snapshot struct {
	Ref    string
	Name   string // the end of Ref: session and turn
	Commit string
	Time   time.Time
	Files  int    // files that it adds to those of its parent, or changes
	Staged int    // files for which it also holds a different staged version
	Why    string // the command before which it was taken
}

// head is the commit that is checked out, and its tree; "" before the first commit.
type head struct{ commit, tree string }

// Take takes a snapshot of the worktree that dir is in. It returns ErrNothing if nothing is uncommitted. If
// the name is taken, it adds a number.
func Take(ctx context.Context, dir, name, why string, at time.Time) (*Snapshot, error) {
	root, own, err := worktree(ctx, dir)
	if err != nil {
		return nil, err
	}
	index, done, err := temporaryIndex(own)
	if err != nil {
		return nil, err
	}
	defer done()
	on, staged := make(chan head, 1), make(chan string, 1) // an agent waits: these run while the files are read
	go func() { on <- headOf(ctx, root) }()
	go func() { staged <- stagedTree(ctx, root, own) }()
	variables := []string{"GIT_INDEX_FILE=" + index}
	if _, err := runGit(ctx, root, variables, "-c", "core.fsmonitor=false", "-c", "advice.addEmbeddedRepo=false", "-c", "core.safecrlf=false", "add", "-A", "--ignore-errors", "."); err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", root, err)
	}
	tree, err := runGit(ctx, root, variables, "write-tree")
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", root, err)
	}
	s := &Snapshot{Time: at, Why: why}
	if err := s.make(ctx, root, <-on, <-staged, strings.TrimSpace(tree)); err != nil {
		return nil, err
	}
	return s, s.claim(ctx, root, name)
}

func headOf(ctx context.Context, root string) head {
	out, err := line(ctx, root, "rev-parse", "HEAD^{commit}", "HEAD^{tree}")
	if err != nil {
		return head{}
	}
	commit, tree, _ := strings.Cut(out, "\n")
	return head{commit, tree}
}

// stagedTree writes a worktree's index as a tree, and returns "" if that is impossible, as during a
// conflict.
func stagedTree(ctx context.Context, root, own string) string {
	index, done, err := temporaryIndex(own)
	if err != nil {
		return ""
	}
	defer done()
	tree, err := runGit(ctx, root, []string{"GIT_INDEX_FILE=" + index}, "write-tree")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(tree)
}

// make writes the snapshot's commit, on top of the one that is checked out. What is staged differently than
// in the files becomes a second parent, as in git stash.
func (s *Snapshot) make(ctx context.Context, root string, on head, staged, tree string) error {
	base := on.commit
	if base == "" {
		var err error
		if base, err = emptyTree(ctx, root); err != nil {
			return err
		}
	}
	changed, err := between(ctx, root, base, tree)
	if err != nil {
		return err
	}
	s.Files = len(changed)
	args := []string{tree, "-m", "scaffoldwatch: before " + s.Why}
	if on.commit != "" {
		args = append(args, "-p", on.commit)
		index, err := s.index(ctx, root, on, staged, tree)
		if err != nil {
			return err
		}
		if index != "" {
			args = append(args, "-p", index)
		}
	}
	if s.Files+s.Staged == 0 {
		return ErrNothing
	}
	s.Commit, err = s.commit(ctx, root, args...)
	return err
}

// index returns a commit of what is staged, "" if the files or the last commit hold all of it.
func (s *Snapshot) index(ctx context.Context, root string, on head, staged, tree string) (string, error) {
	if staged == "" || staged == on.tree || staged == tree {
		return "", nil
	}
	files, err := stagedOnly(ctx, root, on.commit, staged, tree)
	if err != nil || len(files) == 0 {
		return "", err
	}
	s.Staged = len(files)
	return s.commit(ctx, root, staged, "-m", "scaffoldwatch: staged before "+s.Why, "-p", on.commit)
}

// stagedOnly returns the files whose staged version neither the last commit nor the files hold.
func stagedOnly(ctx context.Context, root, base, staged, tree string) ([]string, error) {
	fromBase, err := between(ctx, root, base, staged)
	if err != nil {
		return nil, err
	}
	toFiles, err := between(ctx, root, staged, tree)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(fromBase, func(name string) bool { return !slices.Contains(toFiles, name) }), nil
}

// between returns the files in which two trees differ.
func between(ctx context.Context, root, from, to string) ([]string, error) {
	out, err := runGit(ctx, root, nil, "diff-tree", "-r", "--no-renames", "--name-only", "-z", from, to)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), nil
}

func emptyTree(ctx context.Context, root string) (string, error) {
	return line(ctx, root, "hash-object", "-t", "tree", "--stdin")
}

func (s *Snapshot) commit(ctx context.Context, root string, args ...string) (string, error) {
	stamp := fmt.Sprintf("%d +0000", s.Time.Unix())
	made, err := runGit(ctx, root, []string{
		"GIT_AUTHOR_NAME=scaffoldwatch", "GIT_AUTHOR_EMAIL=rescue@scaffoldwatch.invalid", "GIT_AUTHOR_DATE=" + stamp,
		"GIT_COMMITTER_NAME=scaffoldwatch", "GIT_COMMITTER_EMAIL=rescue@scaffoldwatch.invalid", "GIT_COMMITTER_DATE=" + stamp,
	}, append([]string{"commit-tree"}, args...)...)
	if err != nil {
		return "", fmt.Errorf("snapshot of %s: %w", root, err)
	}
	return strings.TrimSpace(made), nil
}

// maxNames limits the numbers that are tried for a name that is taken.
const maxNames = 1000

// claim gives the snapshot a ref: its name, with a number if that is taken.
func (s *Snapshot) claim(ctx context.Context, root, name string) error {
	name = refName(name)
	for n := 1; n <= maxNames; n++ {
		s.Name = name
		if n > 1 {
			s.Name = fmt.Sprintf("%s.%d", name, n)
		}
		s.Ref = Refs + s.Name
		_, err := runGit(ctx, root, nil, "update-ref", "-m", "scaffoldwatch rescue", s.Ref, s.Commit, strings.Repeat("0", len(s.Commit)))
		if err == nil {
			return nil
		}
		if _, taken := line(ctx, root, "rev-parse", "--verify", "-q", s.Ref); taken != nil {
			return fmt.Errorf("keep the snapshot: %w", err)
		}
	}
	return fmt.Errorf("keep the snapshot: %d of that name", maxNames)
}

// refName returns a name with what a ref may not contain replaced.
func refName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, name)
}

// Worktree returns the top folder of the worktree that dir is in.
func Worktree(ctx context.Context, dir string) (string, error) {
	root, _, err := worktree(ctx, dir)
	return root, err
}

// worktree returns the top folder of the worktree that dir is in, and its index.
func worktree(ctx context.Context, dir string) (root, index string, err error) {
	out, err := runGit(ctx, dir, nil, "rev-parse", "--is-inside-work-tree", "--show-toplevel", "--git-path", "index")
	inside, rest, _ := strings.Cut(strings.TrimSpace(out), "\n")
	end := strings.LastIndexByte(rest, '\n') // a folder's name may contain one
	switch {
	case inside == "true" && err == nil && end > 0:
		root, index = rest[:end], rest[end+1:]
		if !filepath.IsAbs(index) {
			index = filepath.Join(dir, index)
		}
		return root, index, nil
	case ctx.Err() != nil:
		return "", "", fmt.Errorf("look for the repository of %s: %w", dir, ctx.Err())
	case inside == "false":
		return "", "", fmt.Errorf("%s: a bare repository, or the folder .git: it has no files to rescue", dir)
	}
	return "", "", fmt.Errorf("%s: %w", dir, ErrNoWorktree)
}

// temporaryIndex copies the worktree's index, so that Git need not read unchanged files; done removes the
// copy.
func temporaryIndex(own string) (file string, done func(), err error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-rescue")
	if err != nil {
		return "", nil, fmt.Errorf("find space for a snapshot: %w", err)
	}
	done = func() { _ = os.RemoveAll(folder) }
	file = filepath.Join(folder, "index")
	if err := copied(own, file); err != nil && !errors.Is(err, os.ErrNotExist) {
		done()
		return "", nil, fmt.Errorf("copy the index: %w", err)
	}
	return file, done, nil
}

// copied preserves the file's time: Git compares the contents of files that are as new as the index, and a
// newer index would make it trust size and time alone.
func copied(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
