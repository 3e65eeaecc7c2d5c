package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/web"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reader turns the server's messages into turns.
type reader struct {
	driver *Driver
	sink   drive.Sink
	before bool // whether it was connected before
	away   bool // the loss of the server was reported
	clock  int  // counts uses of sessions
}

// listen reads events until the connection ends, and reports whether there was one.
func (r *reader) listen(ctx context.Context) (connected bool) {
	for data, err := range r.driver.client.Events(ctx, "event") {
		if err != nil {
			r.lost(ctx, err)
			break
		}
		if !connected {
			connected = true
			r.connected(ctx)
		}
		r.event(ctx, data)
	}
	return connected
}

// lost reports, once, that the server is away; a server that is merely silent is not.
func (r *reader) lost(ctx context.Context, err error) {
	if ctx.Err() != nil || r.away || errors.Is(err, web.ErrSilent) {
		return
	}
	r.away = true
	r.sink.Note(fmt.Sprintf("OpenCode at %s is away, waiting for it: %v", r.driver.client.Address(), err))
}

// connected catches up after a lost connection: the server does not repeat events.
func (r *reader) connected(ctx context.Context) {
	if r.away {
		r.sink.Note("OpenCode is back")
	}
	again := r.before
	r.before, r.away = true, false
	if !again {
		return
	}
	r.driver.mu.Lock()
	var natives []string
	for _, s := range r.driver.sessions {
		natives = append(natives, s.native)
	}
	r.driver.mu.Unlock()
	for _, native := range natives {
		r.report(r.catchUp(ctx, native))
	}
}

func (r *reader) report(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		r.sink.Note(fmt.Sprintf("a session of OpenCode could not be read: %v", err))
	}
}

// event handles one event. It skips what is not an event, and events of types that are not needed.
func (r *reader) event(ctx context.Context, data json.RawMessage) {
	var e event
	if json.Unmarshal(data, &e) != nil {
		return
	}
	native := e.Properties.SessionID
	if native == "" {
		native = e.Properties.Info.SessionID
	}
	switch e.Type {
	case "message.updated":
		if info := &e.Properties.Info; info.Role == "assistant" && info.Time.Completed > 0 {
			r.report(r.catchUp(ctx, native))
		}
	case "session.status":
		r.status(ctx, native, e.Properties.Status.Type)
	case "session.idle": // older servers
		r.status(ctx, native, "idle")
	case "session.deleted":
		r.deleted(ctx, native, e.Properties.Info.ID)
	}
}

// status tracks whether a session is busy.
func (r *reader) status(ctx context.Context, native, status string) {
	if status == "idle" {
		r.report(r.catchUp(ctx, native))
	}
	s := r.find(native)
	if s == nil {
		return
	}
	r.driver.mu.Lock()
	was := s.busy
	s.busy = status != "idle"
	again := s.halted != "" && s.busy
	reason := s.halted
	r.driver.mu.Unlock()
	switch {
	case again:
		r.report(r.driver.Halt(ctx, sessionid.Valid(native), reason))
	case was && status == "idle":
		r.sink.Idle(ctx, sessionid.Valid(native))
	}
}

func (r *reader) deleted(ctx context.Context, native, id string) {
	if native == "" {
		native = id
	}
	s := r.find(native)
	if s == nil {
		return
	}
	r.report(s.ledger.Close(ctx, r.sink, "deleted"))
	r.driver.mu.Lock()
	delete(r.driver.sessions, sessionid.Valid(native))
	r.driver.mu.Unlock()
}

// catchUp reads the complete messages of a session that were not read yet.
func (r *reader) catchUp(ctx context.Context, native string) error {
	s, err := r.open(ctx, native)
	if err != nil {
		return err
	}
	list, err := r.unread(ctx, s)
	if err != nil {
		return err
	}
	for i := range list {
		m := &list[i]
		if !m.whole() && !followed(list[i+1:]) {
			break
		}
		s.last = m.Info.ID
		if err := r.message(ctx, s, m); err != nil {
			return err
		}
	}
	return nil
}

// message feeds a message, unless it is our own.
func (r *reader) message(ctx context.Context, s *session, m *fetched) error {
	if m.Info.Role == "user" {
		for _, p := range m.Parts {
			if id := r.driver.heard(p.Text); id != "" {
				r.sink.Delivered(ctx, id)
				return nil
			}
		}
		r.driver.mu.Lock()
		s.agent, s.model = m.Info.Agent, m.Info.Model
		r.driver.mu.Unlock()
	}
	if err := s.live.Record(m.raw); err != nil {
		return err
	}
	s.live.Flush() // a message of the model is a complete response
	list := s.live.Take()
	for _, e := range list {
		if t, ok := e.Data.(*sessionevents.Turn); ok && t.Usage != nil {
			t.Usage.CostUSD = m.Info.Cost
		}
	}
	return s.ledger.Hand(ctx, r.sink, list)
}
