package reporter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// listRuns responds with a page of the runs, latest first:
// ?state=halted&project=shop&waiting=true&limit=100&after=….
func (r *reporter) listRuns(w http.ResponseWriter, q *http.Request) {
	var filter runlist.Filter
	if err := readFilter(q.URL.Query(), &filter); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sendPage(r, w, q, listing[runlist.Run]{
		list: func(m *readmodel.Model, p readmodel.Page) ([]runlist.Run, error) {
			return m.Runs(q.Context(), filter, p)
		},
		count: func(m *readmodel.Model) (int, error) { return m.CountRuns(q.Context(), filter) },
		place: func(one runlist.Run) readmodel.Cursor { return readmodel.Cursor{Last: one.Last, ID: one.ID} },
	})
}

func readFilter(query url.Values, f *runlist.Filter) error {
	f.State, f.Project = query.Get("state"), query.Get("project")
	if f.State != "" && !slices.Contains(runlist.Standings(), f.State) {
		return fmt.Errorf("state must be one of %s", strings.Join(runlist.Standings(), ", "))
	}
	if text := query.Get("waiting"); text != "" {
		waiting, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("waiting must be true or false")
		}
		f.Waiting = waiting
	}
	return nil
}

// sendRunReport responds with JSON, or in the format of ?format= (RW-42).
func (r *reporter) sendRunReport(w http.ResponseWriter, q *http.Request) {
	send(r, w, q, func(ctx context.Context, broker *nats.Broker, id string) (runreport.Model, error) {
		return decisions.ReadRunReport(ctx, broker, id, r.reading.Alone())
	}, func(m runreport.Model) doc.Report { return runreport.Report(m, time.Local) })
}

// runFile names a run's report next to those of sessions, whose ids contain no dot.
func runFile(run, form string) string { return run + ".run." + form }

// writeRun writes a completed run's report into the directory, in each configured format; if the run is
// resumed and completes again, the report is replaced.
func (r *reporter) writeRun(ctx context.Context, run string) error {
	m, err := decisions.ReadRunReport(ctx, r.broker, run, r.reading.Alone())
	if err != nil {
		return err
	}
	for _, form := range r.settings.Formats {
		if err := writeFile(filepath.Join(r.settings.Directory, runFile(run, form)), form,
			runreport.Report(m, nil)); err != nil {
			return err
		}
	}
	return nil
}

// reportable returns the writer of the report that an event completes, nil for other events, and the name of
// its file. The report of a run is written at run.evaluated, after all consequences of the run's end; that of a
// session when it closes, and before, when its primary signals that it is done (DP-30).
func (r *reporter) reportable(ev events.Event) (file string, write func(context.Context, string) error) {
	switch d := ev.Data.(type) {
	case *runevents.RunEvaluated:
		if d.EventType == runevents.TypeRunCompleted {
			return runFile(ev.Subject, ""), r.writeRun
		}
	case *sessionevents.SessionClosed:
		return ev.Subject, r.write
	case *sessionevents.TurnEvaluated:
		if sessionreport.EndsResponse(d) {
			return ev.Subject, r.writeDone
		}
	}
	return "", nil
}
