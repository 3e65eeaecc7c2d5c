package opencode

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
)

// lately is how many of the latest messages are fetched; all of them are if the last one read is not among
// them.
const lately = 20

// session is one session of the server. Agent, model, busy and halted are guarded by the driver's lock, the
// rest belongs to the reader.
type session struct {
	native string
	live   *transcript.Live
	last   string // id of the last message read, "" before the first
	used   int    // when it was last read, by the reader's clock
	ledger drive.Ledger

	agent  string          // from the last prompt
	model  json.RawMessage // from the last prompt
	busy   bool
	halted string
}

// fetched is a message with its parts, kept unchanged for the transcript.
type fetched struct {
	raw  json.RawMessage
	Info struct {
		ID    string          `json:"id"`
		Role  string          `json:"role"`
		Agent string          `json:"agent"`
		Model json.RawMessage `json:"model"`
		Error json.RawMessage `json:"error"`
		Cost  float64         `json:"cost"` // in dollars
		Time  struct {
			Completed float64 `json:"completed"`
		} `json:"time"`
	} `json:"info"`
	Parts []part `json:"parts"`
}

// UnmarshalJSON keeps the bytes as well as the decoded fields.
func (m *fetched) UnmarshalJSON(b []byte) error {
	type plain fetched
	if err := json.Unmarshal(b, (*plain)(m)); err != nil {
		return err
	}
	m.raw = append(json.RawMessage{}, b...)
	return nil
}

// whole reports whether a message is complete.
func (m *fetched) whole() bool {
	return m.Info.Role == "user" || m.Info.Time.Completed > 0 || len(m.Info.Error) > 0
}

func (r *reader) find(native string) *session {
	r.driver.mu.Lock()
	defer r.driver.mu.Unlock()
	return r.driver.sessions[sessionid.Valid(native)]
}

// followed reports whether the model said more later: an earlier incomplete message was cut off, for
// example by a crash of the server.
func followed(later []fetched) bool {
	return slices.ContainsFunc(later, func(m fetched) bool { return m.Info.Role == "assistant" })
}

// open returns the session, and fetches its parent and folder if it is new.
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

// maxSessions limits how many sessions are held at a time.
const maxSessions = 512

// forget drops the session that was idle longest if there are too many. A session that returns is read
// again, which changes nothing (SW-1a). The caller holds the lock.
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
			return list, nil // the first time, or the last one read was withdrawn
		}
		query = url.Values{}
	}
}
