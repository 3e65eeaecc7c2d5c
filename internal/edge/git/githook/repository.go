package githook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
)

// Repository is a Git repository with its worktrees.
type Repository struct {
	Dir    string // the worktree it was opened in; of a bare one its Git directory
	Own    string // the Git directory of this worktree
	Common string // the common Git directory of all worktrees
	Hooks  string // where Git looks for its hooks, core.hooksPath included
	room   string // of its own below our folder, "" for that of the hooks
	here   bool   // opened where the process is: Git's variables are about it
}

// Open finds the repository of a folder. In the folder of the process itself, the variables GIT_DIR and
// GIT_WORK_TREE apply, as for Git.
func Open(ctx context.Context, dir string) (*Repository, error) {
	r := &Repository{Dir: dir, here: isHere(dir)}
	if r.found(ctx) {
		return r, nil
	}
	top, err := line(r.git(ctx, dir, "rev-parse", "--show-toplevel"))
	if err != nil {
		bare, problem := line(r.git(ctx, dir, "rev-parse", "--is-bare-repository"))
		if problem != nil || bare != "true" {
			return nil, fmt.Errorf("find the repository of %s: %w", dir, err)
		}
		if top, err = line(r.git(ctx, dir, "rev-parse", "--absolute-git-dir")); err != nil {
			return nil, fmt.Errorf("find the repository of %s: %w", dir, err)
		}
	}
	r.Dir = filepath.FromSlash(top)
	if r.Own, err = r.path(ctx, "--git-dir"); err != nil {
		return nil, err
	}
	if r.Common, err = r.path(ctx, "--git-common-dir"); err != nil {
		return nil, err
	}
	r.Hooks, err = r.path(ctx, "--git-path", "hooks")
	return r, err
}

// found asks for everything in one call, as most repositories answer it: a hook runs Git before each commit. It
// returns false for a bare one, a folder below the top, whose paths some versions of Git print wrongly, and one with
// a newline in its name.
func (r *Repository) found(ctx context.Context) bool {
	text, err := r.git(ctx, r.Dir, "rev-parse", "--show-toplevel", "--git-dir", "--git-common-dir", "--git-path", "hooks")
	paths := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	if err != nil || len(paths) != 4 || !sameFolder(paths[0], r.Dir) {
		return false
	}
	r.Dir = filepath.FromSlash(paths[0])
	r.Own, r.Common, r.Hooks = absolute(r.Dir, paths[1]), absolute(r.Dir, paths[2]), absolute(r.Dir, paths[3])
	return true
}

// isHere reports whether a folder is that of the process.
func isHere(dir string) bool { return sameFolder(".", dir) }

func sameFolder(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// path is what rev-parse says, made absolute.
func (r *Repository) path(ctx context.Context, args ...string) (string, error) {
	path, err := line(r.git(ctx, r.Dir, append([]string{"rev-parse"}, args...)...))
	if err != nil {
		return "", fmt.Errorf("find %s: %w", args[0], err)
	}
	return absolute(r.Dir, path), nil
}

// Branch returns the branch checked out in a folder, "" for none.
func (r *Repository) Branch(ctx context.Context, dir string) string {
	name, err := line(r.git(ctx, dir, "symbolic-ref", "--quiet", "HEAD"))
	if err != nil {
		return ""
	}
	return short(name)
}

// worksOn returns the branch to which a commit in a folder belongs: during a rebase none is checked out, and
// the commits belong to the branch being rebased.
func (r *Repository) worksOn(ctx context.Context, dir string) string {
	if branch := r.Branch(ctx, dir); branch != "" {
		return branch
	}
	for _, state := range []string{"rebase-merge/head-name", "rebase-apply/head-name"} {
		path, err := line(r.git(ctx, dir, "rev-parse", "--git-path", state))
		if err != nil {
			return ""
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if name, err := os.ReadFile(path); err == nil {
			name, _ := line(string(name), nil)
			return short(name)
		}
	}
	return ""
}

// git runs Git in a folder and returns its output. The error contains Git's message.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	return gitrun.Command{Dir: dir}.Run(ctx, args...)
}

// git runs Git in a folder of the repository. In the worktree in which a hook is called it keeps the
// variables that Git set: they may be the only link between the folder and its repository.
func (r *Repository) git(ctx context.Context, dir string, args ...string) (string, error) {
	return gitrun.Command{Dir: dir, Placed: r.here && dir == r.Dir}.Run(ctx, args...)
}

// line returns the output of a command that prints one line.
func line(text string, err error) (string, error) { return strings.TrimRight(text, "\r\n"), err }

// list splits what Git prints with -z.
func list(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\x00"), func(s string) bool { return s == "" })
}
