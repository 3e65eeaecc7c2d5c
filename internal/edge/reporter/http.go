package reporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
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
)

// routes returns the reporter's HTTP interface.
func (r *reporter) routes() map[string]http.Handler {
	routes := map[string]http.Handler{
		"GET /v1/sessions":             http.HandlerFunc(r.listSessions),
		"GET /v1/sessions/{id}/report": http.HandlerFunc(r.sendReport),
		"GET /v1/runs":                 http.HandlerFunc(r.listRuns),
		"GET /v1/runs/{id}/report":     http.HandlerFunc(r.sendRunReport),
		"GET /v1/fleet":                http.HandlerFunc(r.sendFleet),
		"GET /v1/events":               http.HandlerFunc(r.stream),
	}
	maps.Copy(routes, r.views.routes())
	return routes
}

// listSessions responds with a page of the sessions, latest first.
func (r *reporter) listSessions(w http.ResponseWriter, q *http.Request) {
	sendPage(r.source, w, q, listing[decisions.SessionSummary]{
		list: func(m *readmodel.Model, p readmodel.Page) ([]decisions.SessionSummary, error) {
			return m.SessionsPage(q.Context(), p)
		},
		count: func(m *readmodel.Model) (int, error) { return m.CountSessions(q.Context()) },
		place: func(s decisions.SessionSummary) readmodel.Cursor {
			return readmodel.Cursor{Last: s.Last, ID: s.Session}
		},
	})
}

// formats are the forms that the configuration may name in reports.formats and a request may ask
// for, with their media types.
var formats = map[string]string{"json": "application/json", "md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8"}

// sendReport responds with JSON, or in the format of ?format=.
func (r *reporter) sendReport(w http.ResponseWriter, q *http.Request) {
	send(r.source, w, q, func(ctx context.Context, broker *nats.Broker, id string) (sessionreport.Model, error) {
		return decisions.ReadReport(ctx, broker, id, r.reading.Alone())
	}, sessionreport.Report)
}

// send answers with the report that read gives, in the form that is asked for.
func send[T any](s *source, w http.ResponseWriter, q *http.Request, read func(context.Context, *nats.Broker, string) (T, error), report func(T) doc.Report) {
	format := cmp.Or(q.URL.Query().Get("format"), "json")
	kind, known := formats[format]
	if !known {
		http.Error(w, "format must be json, md or html", http.StatusBadRequest)
		return
	}
	broker := s.connected(w)
	if broker == nil {
		return
	}
	m, err := read(q.Context(), broker, q.PathValue("id"))
	if err != nil {
		status := http.StatusBadGateway
		if errors.Is(err, decisions.ErrNoSession) || errors.Is(err, decisions.ErrNoRun) || !events.ValidID(q.PathValue("id")) {
			status = http.StatusNotFound
		}
		http.Error(w, err.Error(), status)
		return
	}
	answer(w, format, kind, report(m))
}

// answer sends a report in a form of that media type.
func answer(w http.ResponseWriter, form, kind string, m doc.Report) {
	if form == "html" {
		w.Header().Set("Content-Security-Policy", doc.ContentPolicy+"; frame-ancestors 'none'")
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = m.Write(w, form, doc.Screen{})
}

// listRuns responds with a page of the runs, latest first:
// ?state=halted&project=shop&waiting=true&limit=100&after=….
func (r *reporter) listRuns(w http.ResponseWriter, q *http.Request) {
	var filter runlist.Filter
	if err := readFilter(q.URL.Query(), &filter); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sendPage(r.source, w, q, listing[runlist.Run]{
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
	send(r.source, w, q, func(ctx context.Context, broker *nats.Broker, id string) (runreport.Model, error) {
		return decisions.ReadRunReport(ctx, broker, id, r.reading.Alone())
	}, func(m runreport.Model) doc.Report { return runreport.Report(m, time.Local) })
}
