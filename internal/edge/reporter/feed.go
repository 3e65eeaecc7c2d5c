package reporter

import (
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

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
