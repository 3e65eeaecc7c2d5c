package uncommitted

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/rescue"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
)

// worktree is the root of a folder's worktree: as Git names it, and as the folder does.
type worktree struct{ root, named string }

// worktree returns the worktree of a folder, from memory if possible: asking Git starts a process.
func (d *Desk) worktree(ctx context.Context, dir string) (worktree, error) {
	d.mu.Lock()
	found, known := d.worktrees[dir]
	d.mu.Unlock()
	if known {
		return found, nil
	}
	root, err := rescue.Worktree(ctx, dir)
	if err != nil {
		return found, err
	}
	found = worktree{root, asNamed(dir, root)}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.worktrees) >= maxSessions {
		clear(d.worktrees)
	}
	d.worktrees[dir] = found
	return found, nil
}

// status returns what git status shows in a folder's worktree, and what Git ignores except for whole
// folders, which can be recreated. Paths are absolute.
func (d *Desk) status(ctx context.Context, dir string) (files []guard.WorkFile, root string, err error) {
	w, err := d.worktree(ctx, dir)
	if err != nil {
		return nil, "", err
	}
	if files, known := d.remembered(w.root); known {
		return files, w.named, nil
	}
	out, err := gitrun.Command{Dir: w.root}.Run(ctx, "-c", "core.fsmonitor=false", "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignored=traditional")
	if err != nil {
		return nil, "", err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) < 4 || strings.HasSuffix(entry, "/") {
			continue
		}
		mark := entry[:2]
		files = append(files, guard.WorkFile{
			Path: path.Join(w.named, entry[3:]), Untracked: mark == "??", Ignored: mark == "!!",
			Staged: strings.ContainsRune("MTA", rune(mark[0])) && mark[1] != ' ',
		})
	}
	if d.Once {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.shown[w.root] = slices.Clone(files)
	}
	return files, w.named, nil
}

// remembered returns what Git reported about a worktree to a desk that serves a single call.
func (d *Desk) remembered(root string) ([]guard.WorkFile, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	files, known := d.shown[root]
	return slices.Clone(files), known && d.Once
}

// asNamed returns a worktree's root under the name that a path through dir gives it, which may contain
// symbolic links.
func asNamed(dir, root string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return root
	}
	up, err := filepath.Rel(real, root)
	if err != nil {
		return root
	}
	return filepath.ToSlash(filepath.Join(dir, up))
}
