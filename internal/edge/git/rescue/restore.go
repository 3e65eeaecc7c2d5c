package rescue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
)

// Change is a file that differs between a snapshot and the commit that it is based on.
type Change struct {
	Status string `json:"status"` // A added, M changed, D removed, T type changed
	Path   string `json:"path"`   // relative to the top of the worktree
}

// Changes returns the changes of a snapshot, to all files or to those under some paths, which are relative
// to dir.
func (s *Snapshot) Changes(ctx context.Context, dir string, paths ...string) ([]Change, error) {
	base, err := s.base(ctx, dir)
	if err != nil {
		return nil, err
	}
	out, err := runGit(ctx, dir, nil, append([]string{"diff-tree", "-r", "-z", "--no-renames", "--name-status", base, s.Commit, "--"}, paths...)...)
	if err != nil {
		return nil, fmt.Errorf("read snapshot %s: %w", s.Name, err)
	}
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	var list []Change
	for i := 0; i+1 < len(fields); i += 2 {
		list = append(list, Change{Status: fields[i], Path: fields[i+1]})
	}
	return list, nil
}

// Patch returns the changes of a snapshot as a unified diff.
func (s *Snapshot) Patch(ctx context.Context, dir string, paths ...string) (string, error) {
	base, err := s.base(ctx, dir)
	if err != nil {
		return "", err
	}
	return runGit(ctx, dir, nil, append([]string{"diff", "--no-color", "--no-ext-diff", base, s.Commit, "--"}, paths...)...)
}

// base returns the commit that the snapshot is based on, the empty tree if there is none.
func (s *Snapshot) base(ctx context.Context, dir string) (string, error) {
	if parent, err := line(ctx, dir, "rev-parse", "--verify", "-q", s.Commit+"^"); err == nil {
		return parent, nil
	}
	return emptyTree(ctx, dir)
}

// indexCommit returns the commit with what was staged, "" if the files had it as well.
func (s *Snapshot) indexCommit(ctx context.Context, dir string) string {
	commit, err := line(ctx, dir, "rev-parse", "--verify", "-q", s.Commit+"^2")
	if err != nil {
		return ""
	}
	return commit
}

// StagedFiles returns the files for which the snapshot also holds a different staged version.
func (s *Snapshot) StagedFiles(ctx context.Context, dir string) ([]string, error) {
	index := s.indexCommit(ctx, dir)
	if index == "" {
		return nil, nil
	}
	base, err := s.base(ctx, dir)
	if err != nil {
		return nil, err
	}
	return stagedOnly(ctx, dir, base, index, s.Commit)
}

// Restored describes what a restore wrote, or would write.
type Restored struct {
	Files []string
	// Left are files that a snapshot cannot protect, because Git ignores them now.
	Left []string
	// Before is a snapshot of what was uncommitted, nil if nothing was.
	Before *Snapshot
}

// RestoreStaged stages again what a snapshot holds as staged only; the files stay as they are. It first
// takes a snapshot of what is uncommitted or staged at that time.
func (s *Snapshot) RestoreStaged(ctx context.Context, dir string, dry bool, now time.Time) (*Restored, error) {
	root, err := Worktree(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := &Restored{}
	if r.Files, err = s.StagedFiles(ctx, root); err != nil || dry {
		return r, err
	}
	if len(r.Files) == 0 {
		return nil, fmt.Errorf("snapshot %s has no staged version that differs from the files", s.Name)
	}
	return r, s.write(ctx, root, r, now, "--staged", "--source="+s.indexCommit(ctx, root))
}

// Restore writes the files that a snapshot changed or added, all or those under some paths. It first takes
// a snapshot of what is uncommitted; without one nothing is written. The index stays as it is, and no file
// is removed.
func (s *Snapshot) Restore(ctx context.Context, dir string, paths []string, dry bool, now time.Time) (*Restored, error) {
	root, err := Worktree(ctx, dir)
	if err != nil {
		return nil, err
	}
	r, err := s.plan(ctx, dir, root, paths)
	if err != nil || dry || len(r.Files) == 0 {
		return r, err
	}
	return r, s.write(ctx, root, r, now, "--worktree", "--source="+s.Commit)
}

// write restores files, after taking a snapshot of what is uncommitted.
func (s *Snapshot) write(ctx context.Context, root string, r *Restored, now time.Time, flags ...string) (err error) {
	r.Before, err = Take(ctx, root, "restore-"+now.UTC().Format("20060102T150405"), "restore of "+s.Name, now)
	if err != nil && !errors.Is(err, ErrNothing) {
		return fmt.Errorf("nothing was restored: %w", err)
	}
	for from := 0; from < len(r.Files); from += maxPaths {
		args := append(append([]string{"restore"}, flags...), "--")
		for _, file := range r.Files[from:min(from+maxPaths, len(r.Files))] {
			args = append(args, ":(top,literal)"+file)
		}
		if _, err := runGit(ctx, root, nil, args...); err != nil {
			return fmt.Errorf("restore %s: %w", s.Name, err)
		}
	}
	return nil
}

// maxPaths limits the arguments of one Git command.
const maxPaths = 500

// plan returns what a restore would write.
func (s *Snapshot) plan(ctx context.Context, dir, root string, paths []string) (*Restored, error) {
	changes, err := s.Changes(ctx, dir, paths...)
	if err != nil {
		return nil, err
	}
	if len(changes) == 0 && len(paths) > 0 {
		return nil, fmt.Errorf("snapshot %s has nothing under %s", s.Name, strings.Join(paths, ", "))
	}
	r := &Restored{}
	for _, c := range changes {
		switch {
		case c.Status == "D":
		case ignored(ctx, root, c.Path):
			r.Left = append(r.Left, c.Path)
		default:
			r.Files = append(r.Files, c.Path)
		}
	}
	return r, nil
}

// ignored reports whether a file exists that Git ignores, so that no snapshot contains it.
func ignored(ctx context.Context, root, file string) bool {
	if _, err := os.Lstat(filepath.Join(root, file)); err != nil {
		return false
	}
	_, err := runGit(ctx, root, nil, "check-ignore", "-q", "--", file)
	return err == nil
}

// runGit runs Git in a folder with additional variables and returns its output.
func runGit(ctx context.Context, dir string, variables []string, args ...string) (string, error) {
	return gitrun.Command{Dir: dir, Variables: variables}.Run(ctx, args...)
}

// line returns the output of a command that prints one line.
func line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := runGit(ctx, dir, nil, args...)
	return strings.TrimSpace(out), err
}
