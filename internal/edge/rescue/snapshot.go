package rescue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Refs is where snapshots are.
const Refs = "refs/scaffoldwatch/rescue/"

// ErrNothing says that there is nothing uncommitted.
var ErrNothing = errors.New("nothing is uncommitted")

// Snapshot is one of uncommitted work.
type Snapshot struct {
	Ref    string
	Name   string // the end of Ref: session and turn
	Commit string
	Time   time.Time
	Files  int    // that it holds besides those of its parent, or differently
	Why    string // the command that it was made before
}

// Take makes a snapshot of the worktree that dir is in. It returns ErrNothing where
// nothing is uncommitted. A name that is taken gets a number.
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
	head := make(chan string, 1) // an agent waits: asked while the files are read
	go func() {
		commit, _ := line(ctx, root, "rev-parse", "--verify", "-q", "HEAD^{commit}") // none before the first
		head <- commit
	}()
	variables := []string{"GIT_INDEX_FILE=" + index}
	if _, err := runGit(ctx, root, variables, "-c", "core.fsmonitor=false", "-c", "advice.addEmbeddedRepo=false", "-c", "core.safecrlf=false", "add", "-A", "--ignore-errors", "."); err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", root, err)
	}
	tree, err := runGit(ctx, root, variables, "write-tree")
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", root, err)
	}
	return commit(ctx, root, <-head, strings.TrimSpace(tree), name, why, at)
}

// commit makes the snapshot's commit, on top of head where there is one, and its ref.
func commit(ctx context.Context, root, head, tree, name, why string, at time.Time) (*Snapshot, error) {
	args := []string{"commit-tree", tree, "-m", "scaffoldwatch: before " + why}
	files := 0
	if head != "" {
		args = append(args, "-p", head)
		changed, err := runGit(ctx, root, nil, "diff-tree", "-r", "--name-only", "-z", head, tree)
		if err != nil {
			return nil, err
		}
		files = strings.Count(changed, "\x00")
	} else {
		all, err := runGit(ctx, root, nil, "ls-tree", "-r", "--name-only", "-z", tree)
		if err != nil {
			return nil, err
		}
		files = strings.Count(all, "\x00")
	}
	if files == 0 {
		return nil, ErrNothing
	}
	stamp := fmt.Sprintf("%d +0000", at.Unix())
	made, err := runGit(ctx, root, []string{
		"GIT_AUTHOR_NAME=scaffoldwatch", "GIT_AUTHOR_EMAIL=rescue@scaffoldwatch.invalid", "GIT_AUTHOR_DATE=" + stamp,
		"GIT_COMMITTER_NAME=scaffoldwatch", "GIT_COMMITTER_EMAIL=rescue@scaffoldwatch.invalid", "GIT_COMMITTER_DATE=" + stamp,
	}, args...)
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", root, err)
	}
	s := &Snapshot{Commit: strings.TrimSpace(made), Time: at, Files: files, Why: why}
	return s, s.claim(ctx, root, name)
}

// maxNames bounds the numbers that are tried for a name that is taken.
const maxNames = 1000

// claim gives the snapshot a ref of its own: the name, else with a number.
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

// refName is a name that a ref may have.
func refName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, name)
}

// Worktree is the top folder of the worktree that dir is in.
func Worktree(ctx context.Context, dir string) (string, error) {
	root, _, err := worktree(ctx, dir)
	return root, err
}

// worktree returns the top folder of the worktree that dir is in, and its index.
func worktree(ctx context.Context, dir string) (root, index string, err error) {
	out, err := runGit(ctx, dir, nil, "rev-parse", "--is-inside-work-tree", "--show-toplevel", "--git-path", "index")
	inside, rest, _ := strings.Cut(strings.TrimSpace(out), "\n")
	end := strings.LastIndexByte(rest, '\n') // a folder's name may hold one
	switch {
	case inside == "true" && err == nil && end > 0:
		root, index = rest[:end], rest[end+1:]
		if !filepath.IsAbs(index) {
			index = filepath.Join(dir, index)
		}
		return root, index, nil
	case inside == "false":
		return "", "", fmt.Errorf("%s: a bare repository, or the folder .git: it has no files to rescue", dir)
	}
	return "", "", fmt.Errorf("%s: not a Git repository, or its folder cannot be read", dir)
}

// temporaryIndex is a copy of the worktree's index, so that Git need not read files that
// have not changed; done removes it.
func temporaryIndex(own string) (file string, done func(), err error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-rescue")
	if err != nil {
		return "", nil, fmt.Errorf("make room for a snapshot: %w", err)
	}
	done = func() { _ = os.RemoveAll(folder) }
	file = filepath.Join(folder, "index")
	if err := copied(own, file); err != nil && !errors.Is(err, os.ErrNotExist) {
		done()
		return "", nil, fmt.Errorf("copy the index: %w", err)
	}
	return file, done, nil
}

// copied keeps the time of the file: Git compares the contents of a file that is as new
// as the index, and a newer index would make it trust size and time alone.
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
