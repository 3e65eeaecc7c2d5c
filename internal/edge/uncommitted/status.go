package uncommitted

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/gitrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/rescue"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
)

// worktree is where a folder's worktree begins: for Git, and as the folder names it.
type worktree struct{ root, named string }

// worktree finds the worktree of a folder, and keeps what it found: Git is a process.
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

// status is what git status shows in a folder's worktree, and what Git ignores but for
// whole folders, which are made again. Paths are absolute.
func (d *Desk) status(ctx context.Context, dir string) (files []guard.WorkFile, root string, err error) {
	w, err := d.worktree(ctx, dir)
	if err != nil {
		return nil, "", err
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
		files = append(files, guard.WorkFile{Path: path.Join(w.named, entry[3:]), Untracked: mark == "??", Ignored: mark == "!!"})
	}
	return files, w.named, nil
}

// asNamed is a worktree's top folder as a path through dir names it, which may lead
// through symbolic links.
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
