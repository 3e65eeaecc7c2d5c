package uncommitted

import (
	"context"
	"path"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
)

// Known is what another process remembered of a session: hashes, so that only files which are changed now
// can be recognised.
type Known struct {
	Session, Workspace string
	Seen               bool // the worktree was inspected before the session wrote anything
	Before, Wrote      func(path string) bool
}

// Changed returns the files that Git reports as changed, new or ignored in a folder's worktree.
func (d *Desk) Changed(ctx context.Context, folder string) ([]guard.WorkFile, error) {
	files, _, err := d.status(ctx, filepath.ToSlash(folder))
	return files, err
}

// Recall records what is known of sessions about the files that are changed.
func (d *Desk) Recall(files []guard.WorkFile, sessions ...Known) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, known := range sessions {
		s := d.at(known.Session)
		s.last = d.now()
		if known.Workspace != "" {
			s.workspace = path.Clean(filepath.ToSlash(known.Workspace))
		}
		if known.Seen && len(files) <= maxBefore {
			s.before = map[string]bool{}
		}
		for _, f := range files {
			switch {
			case known.Wrote(f.Path):
				s.written[f.Path] = d.now()
			case s.before != nil && known.Before(f.Path):
				s.before[f.Path] = true
			}
		}
	}
}
