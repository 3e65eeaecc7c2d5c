package reporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reportFiles are the reports in the directory of reports.directory.
type reportFiles struct {
	*source
	settings config.Reports
	log      *slog.Logger
}

// writeReports writes the files of the sessions and runs that end in a batch, before the batch counts as
// read: after a crash in between they are written again. A report is read as of now, so that of several events
// of a batch that complete it the last one is enough.
func (f *reportFiles) writeReports(ctx context.Context, batch []readmodel.Record) {
	if f.settings.Directory == "" {
		return
	}
	last := map[string]int{}
	for i, record := range batch {
		if file, write := f.reportable(record.Event); write != nil {
			last[file] = i
		}
	}
	for i, record := range batch {
		if record.Event.Type == runevents.TypeContentPurged {
			f.removeReports(ctx, record)
			continue
		}
		file, write := f.reportable(record.Event)
		if write == nil || last[file] != i {
			continue
		}
		if err := f.writeInto(ctx, record.Event.Subject, write); err != nil {
			f.log.Warn("report not written", "of", record.Event.Subject, "error", err)
		}
	}
}

// writeInto writes a report into the directory, which it creates if necessary.
func (f *reportFiles) writeInto(ctx context.Context, id string, write func(context.Context, string) error) error {
	if err := os.MkdirAll(f.settings.Directory, 0o750); err != nil {
		return fmt.Errorf("create the reports directory: %w", err)
	}
	return write(ctx, id)
}

// write writes a session's report into the directory, in each configured format.
func (f *reportFiles) write(ctx context.Context, session string) error {
	m, err := decisions.ReadReport(ctx, f.broker, session, f.reading.Alone())
	if err != nil {
		return err
	}
	return f.store(m)
}

// writeDone writes the report of an open session whose primary signals that it is done. The session stays open:
// what waits in its queue is said if the work goes on, and its end replaces the report.
func (f *reportFiles) writeDone(ctx context.Context, session string) error {
	m, err := decisions.ReadReport(ctx, f.broker, session, f.reading.Alone())
	if err != nil || !m.Session.Closed && m.Session.DoneTurn == 0 {
		return err
	}
	return f.store(m)
}

func (f *reportFiles) store(m sessionreport.Model) error {
	session := m.Session.ID
	for _, form := range f.settings.Formats {
		if err := writeFile(filepath.Join(f.settings.Directory, session+"."+form), form, sessionreport.Report(m)); err != nil {
			return err
		}
	}
	return nil
}

// runFile names a run's report next to those of sessions, whose ids contain no dot.
func runFile(run, form string) string { return run + ".run." + form }

// writeRun writes a completed run's report into the directory, in each configured format; if the run is
// resumed and completes again, the report is replaced.
func (f *reportFiles) writeRun(ctx context.Context, run string) error {
	m, err := decisions.ReadRunReport(ctx, f.broker, run, f.reading.Alone())
	if err != nil {
		return err
	}
	for _, form := range f.settings.Formats {
		if err := writeFile(filepath.Join(f.settings.Directory, runFile(run, form)), form,
			runreport.Report(m, nil)); err != nil {
			return err
		}
	}
	return nil
}

// reportable returns the writer of the report that an event completes, nil for other events, and the name of
// its file. The report of a run is written at run.evaluated, after all consequences of the run's end; that of a
// session when it closes, and before, when its primary signals that it is done (DP-30).
func (f *reportFiles) reportable(ev events.Event) (file string, write func(context.Context, string) error) {
	switch d := ev.Data.(type) {
	case *runevents.RunEvaluated:
		if d.EventType == runevents.TypeRunCompleted {
			return runFile(ev.Subject, ""), f.writeRun
		}
	case *sessionevents.SessionClosed:
		return ev.Subject, f.write
	case *sessionevents.TurnEvaluated:
		if sessionreport.EndsResponse(d) {
			return ev.Subject, f.writeDone
		}
	}
	return "", nil
}

// removeReports removes the report files of a group that an operator erased, in every format: those of its
// run and of its sessions, which the tombstone names (AU-40). A tombstone of an earlier build names none;
// then they are those that the read model knows until this batch is folded.
func (f *reportFiles) removeReports(ctx context.Context, record readmodel.Record) {
	ids := []string{record.Event.Group()}
	if purged, is := record.Event.Data.(*runevents.ContentPurged); is {
		ids = append(ids, purged.IDs...)
	}
	if model := f.opened(); model != nil {
		sessions, err := model.GroupSessions(ctx, ids[0])
		if err != nil {
			f.log.Warn("reports of erased sessions may remain", "of", ids[0], "error", err)
		}
		for _, s := range sessions {
			ids = append(ids, s.Session)
		}
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if events.ValidID(id) { // it becomes a file name
			f.removeReportsOf(id)
		}
	}
}

func (f *reportFiles) removeReportsOf(id string) {
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
		if err := os.Remove(filepath.Join(f.settings.Directory, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.log.Warn("a report of an erased session could not be removed", "file", name, "error", err)
		}
	}
}

// writeFile replaces a file at once, so that a reader never sees half of it.
func writeFile(path, form string, m doc.Report) error {
	var text bytes.Buffer
	if err := m.Write(&text, form, doc.Screen{}); err != nil {
		return fmt.Errorf("render %s: %w", path, err)
	}
	_ = os.Remove(path + ".new") // left by a failed attempt, or a link that leads elsewhere
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	_, err = file.Write(text.Bytes())
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
