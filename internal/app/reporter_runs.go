package app

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// listRuns answers with the runs, the latest first, as `scaffoldwatch runs` lists them.
func (r *reporter) listRuns(w http.ResponseWriter, q *http.Request) {
	broker := r.connected(w)
	if broker == nil {
		return
	}
	list, err := Runs(q.Context(), broker)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = json.NewEncoder(w).Encode(list)
}

// sendRunReport answers with JSON, or in the form of ?format= (RW-42).
func (r *reporter) sendRunReport(w http.ResponseWriter, q *http.Request) {
	send(r, w, q, ReadRunReport, runForms)
}

// runFile names a run's report beside those of sessions, whose ids hold no dot.
func runFile(run, form string) string { return run + ".run." + form }

// writeRun puts a completed run's report into the directory, in each form that is
// wanted; one that is resumed and completes again replaces it.
func (r *reporter) writeRun(ctx context.Context, run string) error {
	m, err := ReadRunReport(ctx, r.broker, run)
	if err != nil {
		return err
	}
	for _, form := range r.settings.Formats {
		if err := writeFile(filepath.Join(r.settings.Directory, runFile(run, form)), runForms[form], m); err != nil {
			return err
		}
	}
	return nil
}

// reportable is the writer of the report that an event ends, nil for others. That
// of a run is written once all that its end led to stands before run.evaluated.
func (r *reporter) reportable(ev events.Event) func(context.Context, string) error {
	if closing, is := ev.Data.(*events.RunEvaluated); is && closing.EventType == events.TypeRunCompleted {
		return r.writeRun
	}
	if ev.Type == events.TypeSessionClosed {
		return r.write
	}
	return nil
}
