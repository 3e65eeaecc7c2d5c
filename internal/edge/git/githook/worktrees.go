package githook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// Worktree is one of the repository's working trees.
type Worktree struct {
	Path   string `json:"path"` // below the main worktree: relative to it, with slashes
	Branch string `json:"branch,omitempty"`
	Wave   int    `json:"wave,omitempty"` // where the name says so (WP-5)
	Letter string `json:"letter,omitempty"`

	head string // its commit
	bare bool   // no working tree at all
	gone bool   // its folder is not there any more
}

// named matches the names that Scout-and-Wave gives worktrees and branches (WP-5).
var named = pattern.Must(`(?:^|/)wave([1-9]\d*)-agent-([A-Z][2-9]?)$`)

// placeOf reads wave and letter from the name of a worktree or branch.
func placeOf(name string) (wave int, letter string) {
	m := named.FindStringSubmatch(filepath.ToSlash(name))
	if m == nil {
		return 0, ""
	}
	wave, _ = strconv.Atoi(m[1])
	return wave, m[2]
}

const heads = "refs/heads/"

// short returns the name of a branch without Git's prefix.
func short(ref string) string { return strings.TrimPrefix(ref, heads) }

// Worktrees are the main worktree's folder and the linked ones, as Git lists them; those whose folder is gone
// are left out, unless they are locked. The main worktree of a bare repository is its Git directory.
func (r *Repository) Worktrees(ctx context.Context) (main string, linked []Worktree, err error) {
	records, err := r.records(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("list the worktrees: %w", err)
	}
	for n, w := range records {
		if n == 0 {
			main = r.mainFolder(ctx, w)
			continue
		}
		if w.gone || w.Path == "" {
			continue
		}
		if below, err := filepath.Rel(main, w.Path); err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator)) {
			w.Path = filepath.ToSlash(below)
		}
		linked = append(linked, w)
	}
	return main, linked, nil
}

// records are the worktrees, the main one first.
func (r *Repository) records(ctx context.Context) (out []Worktree, err error) {
	text, end, err := r.list(ctx)
	for pause := 10 * time.Millisecond; err != nil && pause <= 80*time.Millisecond; pause *= 2 {
		time.Sleep(pause) // Git cannot list them while another one is half made
		text, end, err = r.list(ctx)
	}
	if err != nil {
		return nil, err
	}
	for _, record := range strings.Split(strings.TrimRight(text, end), end+end) {
		out = append(out, worktree(strings.Split(record, end)))
	}
	return out, nil
}

// list is what Git prints and how it ends a line. Before 2.36 it has no -z, and
// cannot tell of paths with a newline.
func (r *Repository) list(ctx context.Context) (text, end string, err error) {
	text, err = r.git(ctx, r.Dir, "worktree", "list", "--porcelain", "-z")
	if err == nil {
		return text, "\x00", nil
	}
	text, err = r.git(ctx, r.Dir, "worktree", "list", "--porcelain")
	return text, "\n", err
}

// worktree reads one record of `git worktree list --porcelain`.
func worktree(fields []string) (w Worktree) {
	locked := false
	for _, field := range fields {
		key, value, _ := strings.Cut(field, " ")
		switch key {
		case "worktree":
			w.Path = value
			w.Wave, w.Letter = placeOf(value)
		case "HEAD":
			w.head = value
		case "branch":
			w.Branch = short(value)
		case "bare":
			w.bare = true
		case "locked":
			locked = true
		}
	}
	_, err := os.Stat(w.Path)
	w.gone = !locked && os.IsNotExist(err)
	return w
}

// mainFolder is where the main worktree's files are: for a submodule, and for a Git directory kept elsewhere,
// Git names that directory instead.
func (r *Repository) mainFolder(ctx context.Context, w Worktree) string {
	if w.bare || w.Path != r.Common {
		return w.Path
	}
	if r.Own == r.Common {
		return r.Dir
	}
	if top, err := line(git(ctx, w.Path, "rev-parse", "--show-toplevel")); err == nil {
		return filepath.FromSlash(top)
	}
	return w.Path
}

// mainFiles returns the folder in which main is checked out, "" if there is none.
// In a bare repository it may be a linked worktree.
func (r *Repository) mainFiles(i *Installation, main string, linked []Worktree) string {
	if _, err := os.Stat(filepath.Join(main, ".git")); err == nil || main == r.Dir && main != r.Own {
		return main
	}
	for _, w := range linked {
		if w.Branch == i.Main {
			return absolute(main, w.Path)
		}
	}
	return ""
}

// absolute is the folder of a worktree.
func absolute(main, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(main, filepath.FromSlash(path))
}
