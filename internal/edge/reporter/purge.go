package reporter

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// removeReports removes the report files of a group that an operator erased, in every format: those of its
// run and of its sessions, which the tombstone names (AU-40). A tombstone of an earlier build names none;
// then they are those that the read model knows until this batch is folded.
func (r *reporter) removeReports(ctx context.Context, record readmodel.Record) {
	ids := []string{record.Event.Group()}
	if purged, is := record.Event.Data.(*runevents.ContentPurged); is {
		ids = append(ids, purged.IDs...)
	}
	if model := r.opened(); model != nil {
		sessions, err := model.GroupSessions(ctx, ids[0])
		if err != nil {
			r.log.Warn("reports of erased sessions may remain", "of", ids[0], "error", err)
		}
		for _, s := range sessions {
			ids = append(ids, s.Session)
		}
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if events.ValidID(id) { // it becomes a file name
			r.removeReportsOf(id)
		}
	}
}

func (r *reporter) removeReportsOf(id string) {
	var names []string
	for form := range formats {
		names = append(names, id+"."+form)
	}
	for form := range formats {
		names = append(names, runFile(id, form))
	}
	for _, name := range names {
		names = append(names, name+".new") // left by a writer that was killed
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(r.settings.Directory, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.log.Warn("a report of an erased session could not be removed", "file", name, "error", err)
		}
	}
}
