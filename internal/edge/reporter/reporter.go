// Package reporter is the service that shows people what was decided: lists, reports and the live feed over
// HTTP, and report files, all from DECISIONS.
package reporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// reporter is the service: the list of sessions, reports on request, a report file when a session closes
// or its primary signals that it is done, the live feed. It keeps nothing that DECISIONS does not hold; its
// read model records how far it has read.
type reporter struct {
	*source
	*listeners
	settings config.Reports
	titles   map[string]string // titles of detectors by id
	log      *slog.Logger
	views    *views
}

func newReporter(settings config.Reports, reading *decisions.Reading, titles map[string]string, log *slog.Logger) *reporter {
	from, feed := &source{reading: reading, changed: make(chan struct{})}, &listeners{feed: map[chan events.Event]bool{}}
	return &reporter{
		source: from, listeners: feed, settings: settings, titles: titles, log: log,
		views: &views{source: from, listeners: feed, titles: titles, compared: comparedNextTo(settings.Database)},
	}
}

// run follows DECISIONS until ctx ends, from the read model's position. After any failure it reopens the
// model and continues from there. It fails if this version must not touch the model.
func (r *reporter) run(ctx context.Context, broker *nats.Broker, healthy func(error)) error {
	r.setBroker(broker)
	for ctx.Err() == nil {
		err := r.attempt(ctx, healthy)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, readmodel.ErrNewer), errors.Is(err, readmodel.ErrForeign):
			return err
		}
		healthy(err)
		r.log.Warn("the read model failed, retrying", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func (r *reporter) attempt(ctx context.Context, healthy func(error)) error {
	model, err := openModel(ctx, r.settings, r.log)
	if err != nil {
		return err
	}
	r.setModel(model)
	defer func() {
		r.setModel(nil)
		if err := model.Close(); err != nil {
			r.log.Warn("close the read model", "error", err)
		}
	}()
	broker, err := r.decided()
	if err != nil {
		return err
	}
	files := reportFiles{source: r.source, settings: r.settings, log: r.log}
	follower := modelFollower{
		model: model, broker: broker, log: r.log, healthy: healthy, maxBytes: r.settings.DatabaseBytes,
		before: files.writeReports, after: r.tell,
	}
	return follower.run(ctx)
}

// listeners are the open requests for the live feed.
type listeners struct {
	mu   sync.Mutex
	feed map[chan events.Event]bool
}

// tell passes events to the listeners.
func (l *listeners) tell(batch []readmodel.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for listener := range l.feed {
		for _, record := range batch {
			if record.Event.Type == "" {
				continue
			}
			select {
			case listener <- record.Event:
			default: // a page that cannot keep up loses events, without affecting the service
			}
		}
	}
}

// follow prepares a response of server-sent events, and passes the feed to send while the request is open.
func (l *listeners) follow(w http.ResponseWriter, send func(listener <-chan events.Event, flush func())) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "streaming is not supported here", http.StatusNotImplemented)
		return
	}
	listener := make(chan events.Event, 256)
	l.mu.Lock()
	l.feed[listener] = true
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.feed, listener)
		l.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flusher.Flush()
	send(listener, flusher.Flush)
}

// stream sends decisions as server-sent events while the request is open.
func (l *listeners) stream(w http.ResponseWriter, q *http.Request) {
	l.follow(w, func(listener <-chan events.Event, flush func()) {
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

// source is where lists, reports and views are read from: the broker and the read model, once there are any.
type source struct {
	reading *decisions.Reading

	mu      sync.Mutex
	broker  *nats.Broker
	model   *readmodel.Model // nil while it is not open
	changed chan struct{}    // closed when model is set
}

func (s *source) setBroker(b *nats.Broker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broker = b
}

func (s *source) setModel(m *readmodel.Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model = m
	close(s.changed)
	s.changed = make(chan struct{})
}

// openPatience is how long a page waits for the model: it is open a moment after `up` listens.
const openPatience = 5 * time.Second

// awaited returns the model for a page once it is open, nil if that takes too long.
func (s *source) awaited(ctx context.Context) *readmodel.Model {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	for {
		s.mu.Lock()
		model, changed := s.model, s.changed
		s.mu.Unlock()
		if model != nil {
			return model
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// opened returns the model for a request, nil while it is not open.
func (s *source) opened() *readmodel.Model {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

var errNotConnected = errors.New("not connected to NATS yet")

// decided returns the broker from which decisions are read.
func (s *source) decided() (*nats.Broker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broker == nil {
		return nil, errNotConnected
	}
	return s.broker, nil
}

// connected returns the broker; if there is none yet, it responds with an error and returns nil.
func (s *source) connected(w http.ResponseWriter) *nats.Broker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broker == nil {
		http.Error(w, "not connected to NATS yet", http.StatusServiceUnavailable)
	}
	return s.broker
}
