package githook

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Repository is a Git repository with its worktrees.
type Repository struct {
	Dir    string // the worktree it was opened in
	Common string // the common Git directory of all worktrees
	Hooks  string // where its hooks lie, core.hooksPath included
}

// Open finds the repository of a folder.
func Open(ctx context.Context, dir string) (*Repository, error) {
	top, err := line(git(ctx, dir, "rev-parse", "--show-toplevel"))
	if err != nil {
		return nil, fmt.Errorf("find the repository of %s: %w", dir, err)
	}
	r := &Repository{Dir: filepath.FromSlash(top)}
	if r.Common, err = r.path(ctx, "--git-common-dir"); err != nil {
		return nil, err
	}
	r.Hooks, err = r.path(ctx, "--git-path", "hooks")
	return r, err
}

// path is what rev-parse says, made absolute.
func (r *Repository) path(ctx context.Context, args ...string) (string, error) {
	path, err := line(git(ctx, r.Dir, append([]string{"rev-parse"}, args...)...))
	if err != nil {
		return "", fmt.Errorf("find %s: %w", args[0], err)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	return filepath.Clean(path), nil
}

// Branch is the branch checked out in a folder, "" when none is.
func (r *Repository) Branch(ctx context.Context, dir string) string {
	name, err := line(git(ctx, dir, "symbolic-ref", "--quiet", "--short", "HEAD"))
	if err != nil {
		return ""
	}
	return name
}

// Worktree is one of the repository's working trees.
type Worktree struct {
	Path   string `json:"path"` // below the main worktree: relative to it, with slashes
	Branch string `json:"branch,omitempty"`
	Wave   int    `json:"wave,omitempty"` // where the name says so (WP-5)
	Letter string `json:"letter,omitempty"`
}

// named is how Scout-and-Wave names worktrees and branches (WP-5).
var named = regexp.MustCompile(`(?:^|/)wave([1-9]\d*)-agent-([A-Z])$`)

// placeOf reads wave and letter of a worktree's or branch's name.
func placeOf(name string) (wave int, letter string) {
	m := named.FindStringSubmatch(filepath.ToSlash(name))
	if m == nil {
		return 0, ""
	}
	wave, _ = strconv.Atoi(m[1])
	return wave, m[2]
}

// Worktrees are the main worktree's folder and the linked ones, as Git lists them;
// those whose folder is gone are not among them.
func (r *Repository) Worktrees(ctx context.Context) (main string, linked []Worktree, err error) {
	text, err := git(ctx, r.Dir, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return "", nil, fmt.Errorf("list the worktrees: %w", err)
	}
	for i, record := range strings.Split(strings.TrimRight(text, "\x00"), "\x00\x00") {
		w, gone := worktree(record)
		if i == 0 {
			main = w.Path
			continue
		}
		if gone || w.Path == "" {
			continue
		}
		if below, err := filepath.Rel(main, w.Path); err == nil && !strings.HasPrefix(below, "..") {
			w.Path = filepath.ToSlash(below)
		}
		linked = append(linked, w)
	}
	return main, linked, nil
}

// worktree reads one record of `git worktree list --porcelain -z`.
func worktree(record string) (w Worktree, gone bool) {
	for _, field := range list(record) {
		key, value, _ := strings.Cut(field, " ")
		switch key {
		case "worktree":
			w.Path = value
			w.Wave, w.Letter = placeOf(value)
		case "branch":
			w.Branch = strings.TrimPrefix(value, "refs/heads/")
		case "prunable":
			gone = true
		}
	}
	return w, gone
}
