package ingest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	// turnMemory is how many turn ids a session remembers to recognise duplicates
	// and forks; the broker's own duplicate window covers two minutes only.
	turnMemory = 1024
	// eventMemory is how many other event ids a group remembers.
	eventMemory = 256
	// stateVersion is the schema of the snapshot.
	stateVersion = 1
)

// State is what ingest keeps of one group.
type State struct {
	Sessions map[string]*Session `json:"sessions"`
	Events   hashRing            `json:"events,omitempty"`
}

// Session is what ingest keeps of one session. It holds hashes, and redacted
// text only of a turn whose hooks still come (SW-7).
type Session struct {
	Turns      int       `json:"turns"`
	Duplicates int       `json:"duplicates,omitempty"`
	IDs        hashRing  `json:"ids,omitempty"`
	Contents   hashRing  `json:"contents,omitempty"`
	LastTime   time.Time `json:"last_time,omitzero"`    // publisher's time of the latest turn
	LastSeen   time.Time `json:"last_arrived,omitzero"` // broker's time of the latest turn
	TimerDue   time.Time `json:"timer_due,omitzero"`
	Workspace  string    `json:"workspace,omitempty"`
	Closed     bool      `json:"closed,omitempty"`
	Opened     bool      `json:"opened,omitempty"` // session.opened was seen or emitted

	// Of a session that hooks report; all of it is redacted.
	Hook  *hookturn.State      `json:"hook,omitempty"`
	Agent *sessionevents.Agent `json:"agent,omitempty"`
	Run   string               `json:"run,omitempty"`
}

// New is the state of a group nothing is known of.
func (*Machine) New(string) *State { return &State{Sessions: map[string]*Session{}} }

// Version is the snapshot's schema version.
func (*Machine) Version() int { return stateVersion }

// Encode writes a snapshot.
func (*Machine) Encode(s *State) ([]byte, error) { return json.Marshal(s) }

// Decode reads a snapshot.
func (m *Machine) Decode(data []byte) (*State, error) {
	s := m.New("")
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("decode ingest state: %w", err)
	}
	return s, nil
}

// Size estimates the bytes a state holds.
func (*Machine) Size(s *State) int {
	n := 256 + 8*len(s.Events)
	for id, session := range s.Sessions {
		n += 256 + len(id) + 8*len(session.IDs) + 8*len(session.Contents)
		if session.Hook != nil {
			n += session.Hook.Size()
		}
	}
	return n
}

func (s *State) session(id string) *Session {
	session := s.Sessions[id]
	if session == nil {
		session = &Session{}
		s.Sessions[id] = session
	}
	return session
}

// note keeps what an event says about its session.
func (s *State) note(ev events.Event) {
	switch data := ev.Data.(type) {
	case *sessionevents.SessionOpened:
		session := s.session(data.Session)
		session.Workspace, session.Opened = data.Workspace, true
	case *sessionevents.SessionClosed:
		s.session(data.Session).Closed = true
	}
}

// repeated notes an event that is not a turn and says whether it came before.
func (s *State) repeated(ev events.Event) bool {
	h := xxhash.Sum64String(ev.Source + "\x00" + ev.ID)
	if s.Events.index(h) >= 0 {
		return true
	}
	s.Events.add(h, eventMemory)
	return false
}

// seen says whether the turn id is known, and whether with this very content.
func (s *Session) seen(id, content uint64) (same, known bool) {
	for i, h := range s.IDs {
		if h == id {
			known = true
			if s.Contents[i] == content {
				return true, true
			}
		}
	}
	return false, known
}

func (s *Session) accept(id, content uint64, in step.Input) {
	s.Turns++
	s.IDs.add(id, turnMemory)
	s.Contents.add(content, turnMemory)
	s.Closed = false
	s.LastSeen = in.Arrived
	if in.Event.Time.After(s.LastTime) {
		s.LastTime = in.Event.Time
	}
}

// continuity describes the turn's place in its session, nil if ordinary (SW-1a).
func (s *Session) continuity(at time.Time, turn *sessionevents.Turn, otherContent bool) *sessionevents.Continuity {
	c := sessionevents.Continuity{
		Fork:       otherContent || turn.ForkOf != "",
		ForkOf:     turn.ForkOf,
		OutOfOrder: at.Before(s.LastTime),
		Compacted:  turn.Compacted,
		Resumed:    s.Closed,
	}
	if otherContent && c.ForkOf == "" {
		c.ForkOf = turn.TurnID
	}
	if c == (sessionevents.Continuity{}) {
		return nil
	}
	return &c
}

// hashRing keeps the latest hashes, oldest first; in JSON it is base64 of
// little-endian words, a third of the size of decimal numbers.
type hashRing []uint64

func (r *hashRing) add(h uint64, limit int) {
	if len(*r) >= limit {
		*r = append((*r)[:0], (*r)[len(*r)-limit+1:]...)
	}
	*r = append(*r, h)
}

func (r hashRing) index(h uint64) int {
	for i, x := range r {
		if x == h {
			return i
		}
	}
	return -1
}

// MarshalJSON writes base64.
func (r hashRing) MarshalJSON() ([]byte, error) {
	data := make([]byte, 0, 8*len(r))
	for _, h := range r {
		data = binary.LittleEndian.AppendUint64(data, h)
	}
	return json.Marshal(data)
}

// UnmarshalJSON reads base64.
func (r *hashRing) UnmarshalJSON(b []byte) error {
	var data []byte
	if err := json.Unmarshal(b, &data); err != nil {
		return err
	}
	*r = make(hashRing, 0, len(data)/8)
	for ; len(data) >= 8; data = data[8:] {
		*r = append(*r, binary.LittleEndian.Uint64(data))
	}
	return nil
}
