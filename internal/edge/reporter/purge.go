package reporter

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// removeReports removes the report files of a group that an operator erased: of its run
// and of the sessions that the read model knows until this batch is folded (AU-40).
func (r *reporter) removeReports(ctx context.Context, group string) {
	ids := []string{group}
	if model := r.opened(); model != nil {
		sessions, err := model.GroupSessions(ctx, group)
		if err != nil {
			r.log.Warn("the reports of what was erased are not removed", "of", group, "error", err)
		}
		for _, s := range sessions {
			ids = append(ids, s.Session)
		}
	}
	for _, id := range ids {
		for _, form := range r.settings.Formats {
			for _, name := range []string{id + "." + form, runFile(id, form)} {
				if err := os.Remove(filepath.Join(r.settings.Directory, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					r.log.Warn("a report of what was erased is not removed", "file", name, "error", err)
				}
			}
		}
	}
}
