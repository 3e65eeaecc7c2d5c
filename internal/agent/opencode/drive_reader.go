package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/web"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// lately is how many of the newest messages are fetched; all are when the last
// one read is not among them.
const lately = 20

// session is one session of the server. Agent, model, busy and halted are
// guarded by the driver's lock, the rest belongs to the reader.
type session struct {
	native string
	live   *transcript.Live
	last   string // id of the last message read, "" before the first
	used   int    // by the reader's clock, when it was last read
	ledger drive.Ledger

	agent  string          // of the last prompt
	model  json.RawMessage // of the last prompt
	busy   bool
	halted string
}

// fetched is a message with its parts, kept as it came for the transcript.
type fetched struct {
	raw  json.RawMessage
	Info struct {
		ID    string          `json:"id"`
		Role  string          `json:"role"`
		Agent string          `json:"agent"`
		Model json.RawMessage `json:"model"`
		Error json.RawMessage `json:"error"`
		Cost  float64         `json:"cost"` // dollars
		Time  struct {
			Completed float64 `json:"completed"`
		} `json:"time"`
	} `json:"info"`
	Parts []part `json:"parts"`
}

// UnmarshalJSON keeps the bytes beside what is read of them.
func (m *fetched) UnmarshalJSON(b []byte) error {
	type plain fetched
	if err := json.Unmarshal(b, (*plain)(m)); err != nil {
		return err
	}
	m.raw = append(json.RawMessage{}, b...)
	return nil
}

// whole reports a message to which nothing is added any more.
func (m *fetched) whole() bool {
	return m.Info.Role == "user" || m.Info.Time.Completed > 0 || len(m.Info.Error) > 0
}

// reader makes turns of what the server says.
type reader struct {
	driver *Driver
	sink   drive.Sink
	before bool // it was connected before
	away   bool // it was noted that the server is away
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

// lost notes, once, that the server is away; one that is only silent is not.
func (r *reader) lost(ctx context.Context, err error) {
	if ctx.Err() != nil || r.away || errors.Is(err, web.ErrSilent) {
		return
	}
	r.away = true
	r.sink.Note(fmt.Sprintf("OpenCode at %s is away, waiting for it: %v", r.driver.client.Address(), err))
}

// connected catches up after a connection was lost: the server repeats nothing
// twice.
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
		r.sink.Note(fmt.Sprintf("a session of OpenCode was not read: %v", err))
	}
}

// event handles one event. What is not an event, or of a type that says nothing to
// us, is skipped.
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

// status follows whether a session is at work.
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

func (r *reader) find(native string) *session {
	r.driver.mu.Lock()
	defer r.driver.mu.Unlock()
	return r.driver.sessions[sessionid.Valid(native)]
}

// catchUp reads the messages of a session that are whole and were not read.
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

// followed reports that the model said more later: what comes before that and
// is not whole was cut off, as by a crash of the server.
func followed(later []fetched) bool {
	return slices.ContainsFunc(later, func(m fetched) bool { return m.Info.Role == "assistant" })
}

// open finds the session, or learns of it: its parent and folder.
func (r *reader) open(ctx context.Context, native string) (*session, error) {
	if native == "" {
		return nil, errNoSession
	}
	r.clock++
	if s := r.find(native); s != nil {
		s.used = r.clock
		return s, nil
	}
	var info json.RawMessage
	if err := r.driver.client.Get(ctx, "session/"+url.PathEscape(native), nil, &info); err != nil {
		return nil, err
	}
	live := Transcript.Live(native, transcript.Options{Run: r.driver.options.Run})
	if err := live.Record(info); err != nil {
		return nil, err
	}
	s := &session{native: native, live: live, busy: true, used: r.clock}
	r.driver.mu.Lock()
	defer r.driver.mu.Unlock()
	r.driver.forget()
	r.driver.sessions[sessionid.Valid(native)] = s
	return s, nil
}

// maxSessions are held at a time.
const maxSessions = 512

// forget drops the session that was idle longest when there are too many. A session
// that comes back is read again, which changes nothing (SW-1a). The caller holds the
// lock.
func (d *Driver) forget() {
	if len(d.sessions) < maxSessions {
		return
	}
	oldest := ""
	for id, s := range d.sessions {
		if !s.busy && s.halted == "" && (oldest == "" || s.used < d.sessions[oldest].used) {
			oldest = id
		}
	}
	delete(d.sessions, oldest)
}

// unread fetches the messages after the last one read.
func (r *reader) unread(ctx context.Context, s *session) ([]fetched, error) {
	path := "session/" + url.PathEscape(s.native) + "/message"
	query := url.Values{}
	if s.last != "" {
		query.Set("limit", strconv.Itoa(lately))
	}
	for {
		var list []fetched
		if err := r.driver.client.Get(ctx, path, query, &list); err != nil {
			return nil, err
		}
		for i := range list {
			if list[i].Info.ID == s.last {
				return list[i+1:], nil
			}
		}
		if len(query) == 0 || len(list) < lately {
			return list, nil // the first time, or the last one read was taken back
		}
		query = url.Values{}
	}
}

// message feeds a message; what we said ourselves is none of the conversation's.
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
	s.live.Flush() // a message of the model is a whole response
	list := s.live.Take()
	for _, e := range list {
		if t, ok := e.Data.(*sessionevents.Turn); ok && t.Usage != nil {
			t.Usage.CostUSD = m.Info.Cost
		}
	}
	return s.ledger.Hand(ctx, r.sink, list)
}
