package reporter

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

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
	maps.Copy(routes, r.consoleRoutes())
	return routes
}

// listSessions responds with a page of the sessions, latest first.
func (r *reporter) listSessions(w http.ResponseWriter, q *http.Request) {
	sendPage(r, w, q, listing[decisions.SessionSummary]{
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
	send(r, w, q, func(ctx context.Context, broker *nats.Broker, id string) (sessionreport.Model, error) {
		return decisions.ReadReport(ctx, broker, id, r.reading.Alone())
	}, sessionreport.Report)
}

// send answers with the report that read gives, in the form that is asked for.
func send[T any](r *reporter, w http.ResponseWriter, q *http.Request, read func(context.Context, *nats.Broker, string) (T, error), report func(T) doc.Report) {
	format := cmp.Or(q.URL.Query().Get("format"), "json")
	kind, known := formats[format]
	if !known {
		http.Error(w, "format must be json, md or html", http.StatusBadRequest)
		return
	}
	broker := r.connected(w)
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

// connected returns the broker; if there is none yet, it responds with an error and returns nil.
func (r *reporter) connected(w http.ResponseWriter) *nats.Broker {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broker == nil {
		http.Error(w, "not connected to NATS yet", http.StatusServiceUnavailable)
	}
	return r.broker
}

// follow prepares a response of server-sent events, and passes the feed to send while the request is open.
func (r *reporter) follow(w http.ResponseWriter, send func(listener <-chan events.Event, flush func())) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "streaming is not supported here", http.StatusNotImplemented)
		return
	}
	listener := make(chan events.Event, 256)
	r.mu.Lock()
	r.feed[listener] = true
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.feed, listener)
		r.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flusher.Flush()
	send(listener, flusher.Flush)
}

// stream sends decisions as server-sent events while the request is open.
func (r *reporter) stream(w http.ResponseWriter, q *http.Request) {
	r.follow(w, func(listener <-chan events.Event, flush func()) {
		for {
			select {
			case <-q.Context().Done():
				return
			case e := <-listener:
				writeServerSent(w, e)
				flush()
			}
		}
	})
}

// writeServerSent writes one server-sent event. Line breaks in an id, which a publisher chooses, cannot
// begin another event.
func writeServerSent(w io.Writer, e events.Event) {
	line, err := events.MarshalStructured(e)
	if err != nil {
		return // cannot happen: it was decoded from a stream
	}
	fmt.Fprintf(w, "event: %s\nid: %s\ndata: %s\n\n", e.Type, page.Plain(e.ID), line)
}
