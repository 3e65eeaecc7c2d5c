package uncommitted

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/rescue"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
)

// worktree is the root of a folder's worktree: as Git names it, and as the folder does.
type worktree struct{ root, named string }

// trees asks Git about worktrees.
type trees struct {
	// Once means that it serves a single call: Git is not asked twice about a folder.
	Once bool

	mu    sync.Mutex
	roots map[string]worktree         // by a folder in them
	shown map[string][]guard.WorkFile // by worktree, used with Once
}

func newTrees() trees {
	return trees{roots: map[string]worktree{}, shown: map[string][]guard.WorkFile{}}
}

// worktree returns the worktree of a folder, from memory if possible: asking Git starts a process.
func (g *trees) worktree(ctx context.Context, dir string) (worktree, error) {
	g.mu.Lock()
	found, known := g.roots[dir]
	g.mu.Unlock()
	if known {
		return found, nil
	}
	root, err := rescue.Worktree(ctx, dir)
	if err != nil {
		return found, err
	}
	found = worktree{root, asNamed(dir, root)}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.roots) >= maxSessions {
		clear(g.roots)
	}
	g.roots[dir] = found
	return found, nil
}

// status returns what git status shows in a folder's worktree, and what Git ignores except for whole
// folders, which can be recreated; only limits it to some files and folders. Paths are absolute.
func (g *trees) status(ctx context.Context, dir string, only ...string) (files []guard.WorkFile, root string, err error) {
	w, err := g.worktree(ctx, dir)
	if err != nil {
		return nil, "", err
	}
	if files, known := g.remembered(w.root); known {
		return files, w.named, nil
	}
	specs := pathspecs(w.root, only)
	out, err := gitrun.Command{Dir: w.root}.Run(ctx, append([]string{
		"-c", "core.fsmonitor=false", "status", "--porcelain=v1", "-z",
		"--untracked-files=all", "--no-renames", "--ignored=traditional", "--",
	}, specs...)...)
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
	if g.Once && len(specs) == 0 {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.shown[w.root] = slices.Clone(files)
	}
	return files, w.named, nil
}

// pathspecs returns how Git is asked about files and folders of a worktree; none, for all of it, if one is not inside.
// Git compares every file that it tracks with the disk otherwise, which takes seconds where there are 200,000.
func pathspecs(root string, only []string) (specs []string) {
	root = real(root)
	for _, name := range only {
		inside, err := filepath.Rel(filepath.FromSlash(root), filepath.FromSlash(name))
		if err != nil || !filepath.IsLocal(inside) || inside == "." {
			return nil
		}
		specs = append(specs, ":(top,literal)"+filepath.ToSlash(inside))
	}
	return specs
}

// remembered returns what Git reported about a worktree to a desk that serves a single call.
func (g *trees) remembered(root string) ([]guard.WorkFile, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	files, known := g.shown[root]
	return slices.Clone(files), known && g.Once
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
