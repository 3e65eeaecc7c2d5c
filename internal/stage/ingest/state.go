package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	// stateVersion is the schema version of the snapshot.
	stateVersion = 4
	// oldestVersion is the oldest version that can still be read: INPUT, from which a
	// state could be rebuilt, is short-lived.
	oldestVersion = 1
)

// State is ingest's state of one group.
type State struct {
	Sessions map[string]*Session `json:"sessions"`
	Earlier  fingerprints        `json:"events,omitzero"`  // events from before version 3, from any sender
	Events   fingerprints        `json:"said,omitzero"`    // events other than turns
	Secrets  redact.Memory       `json:"secrets,omitzero"` // of the group's sessions and runs

	remembered int // size of all hashes in bytes, see room
	limit      int // of remembered, 0: the default
}

// Session is ingest's state of one session. It holds hashes, and redacted text only for a
// turn whose hook calls are still arriving (SW-7).
type Session struct {
	Turns      int          `json:"turns"`
	Duplicates int          `json:"duplicates,omitempty"`
	Seen       fingerprints `json:"seen,omitzero"`         // turns, see turnHash
	TurnIDs    fingerprints `json:"ids,omitzero"`          // of turns from before version 4
	Turned     fingerprints `json:"turned,omitzero"`       // the same: id and content
	LastTime   time.Time    `json:"last_time,omitzero"`    // publisher's time of the latest turn
	LastSeen   time.Time    `json:"last_arrived,omitzero"` // broker's time of the latest turn
	TimerDue   time.Time    `json:"timer_due,omitzero"`
	Workspace  string       `json:"workspace,omitempty"`
	Closed     bool         `json:"closed,omitempty"`
	Opened     bool         `json:"opened,omitempty"` // session.opened was seen or emitted

	// For a session reported by hooks; everything is redacted.
	Hook  *hookturn.State      `json:"hook,omitempty"`
	Agent *sessionevents.Agent `json:"agent,omitempty"`
	Run   string               `json:"run,omitempty"`
}

// New returns the state of an unknown group.
func (*Machine) New(string) *State { return &State{Sessions: map[string]*Session{}} }

// Version returns the snapshot's schema version.
func (*Machine) Version() int { return stateVersion }

// Options implements [step.Machine]. The state is whole: a repeated event can be recognised only
// by a state that has seen all before it.
func (m *Machine) Options() step.Options[*State] {
	return step.Options[*State]{
		Oldest: oldestVersion, Whole: true, Poisoned: m.refused, Refused: m.refused,
		Redaction: step.Redaction{Data: m.redacted, Text: m.redactedText}, Recalled: m.recalled,
	}
}

// Encode writes a snapshot.
func (*Machine) Encode(s *State) ([]byte, error) { return json.Marshal(s) }

// Decode reads a snapshot.
func (m *Machine) Decode(data []byte) (*State, error) {
	s := m.New("")
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("decode ingest state: %w", err)
	}
	if err := s.upgrade(data); err != nil {
		return nil, err
	}
	s.count()
	return s, nil
}

// upgrade reads the fields that version 1 wrote differently: the contents of the latest
// turns next to their ids, in the same order.
func (s *State) upgrade(data []byte) error {
	if !bytes.Contains(data, []byte(`"contents"`)) {
		return nil
	}
	var old struct {
		Sessions map[string]struct {
			IDs      json.RawMessage `json:"ids"`
			Contents json.RawMessage `json:"contents"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal(data, &old); err != nil {
		return fmt.Errorf("decode ingest state of version 1: %w", err)
	}
	for name, session := range old.Sessions {
		if len(session.Contents) == 0 {
			continue
		}
		ids, err1 := readWords(session.IDs)
		contents, err2 := readWords(session.Contents)
		if err := errors.Join(err1, err2); err != nil {
			return fmt.Errorf("decode session %s of ingest state of version 1: %w", name, err)
		}
		for i := range min(len(ids), len(contents)) {
			if hash := both(ids[i], contents[i]); !s.Sessions[name].Turned.has(hash) {
				s.Sessions[name].Turned.add(hash)
			}
		}
	}
	return nil
}

// Size estimates the size of a state in bytes.
func (*Machine) Size(s *State) int {
	n := 256 + s.remembered + s.Secrets.Size()
	for id, session := range s.Sessions {
		n += 256 + len(id)
		if session.Hook != nil {
			n += session.Hook.Size()
		}
	}
	return n
}

// cleaner returns a cleaner that also replaces secrets found in the group earlier.
func (s *State) cleaner(m *Machine) redact.Cleaner {
	if s == nil {
		return m.options.Redactor
	}
	return m.options.Redactor.With(&s.Secrets)
}

func (s *State) session(id string) *Session {
	session := s.Sessions[id]
	if session == nil {
		session = &Session{}
		s.Sessions[id] = session
		s.remembered += sessionMemory
	}
	return session
}

// note records what an event says about its session.
func (s *State) note(ev events.Event) {
	switch data := ev.Data.(type) {
	case *sessionevents.SessionOpened:
		session := s.session(data.Session)
		session.Workspace, session.Opened = data.Workspace, true
	case *sessionevents.SessionClosed:
		s.session(data.Session).Closed = true
	}
}

// advance counts an accepted turn.
func (s *Session) advance(in step.Input) {
	s.Turns++
	s.Closed = false
	s.LastSeen = in.Arrived
	if in.Event.Time.After(s.LastTime) {
		s.LastTime = in.Event.Time
	}
}

// continuity describes irregularities in the turn's place in its session, nil if there
// are none (SW-1a).
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

// Maximum lengths, in bytes, of the texts of a refused event, which its publisher chose.
const (
	maxRefusedName   = 160
	maxRefusedReason = 400
)

// refused reports an event that was refused, at the door or by the fold, so that every report and
// list shows it: what is not watched must be visible (DP-33). An event whose subject is not an id
// cannot be attributed to anything, so only its dead letter shows it.
func (m *Machine) refused(in step.Input, reason string, safe func(string) string, out *step.Emitter) {
	ev := in.Event
	if !events.ValidID(ev.Subject) || !events.ValidID(ev.Group()) {
		return
	}
	out.Cite(envelope(safe, out.Cause()))
	session, run := ev.Subject, ""
	if group := ev.Group(); group != ev.Subject {
		run = group
	}
	if d, known := events.Lookup(ev.Type); known && d.RunEvent {
		session, run = "", ev.Subject
	}
	out.Emit(sessionevents.TypeInputRefused, ev.Subject, &sessionevents.InputRefused{
		Session: session, Run: run,
		Event: text.Cut(safe(ev.ID), maxRefusedName), EventType: text.Cut(safe(string(ev.Type)), maxRefusedName), EventSource: text.Cut(safe(ev.Source), maxRefusedName),
		Code: string(m.code(ev)), Reason: text.Cut(safe(quoted(strings.TrimPrefix(reason, "step fails: "))), maxRefusedReason),
	})
}

// quoted replaces quotation marks inside the quotes of a reason, so that a publisher's
// text cannot end its quotation.
func quoted(reason string) string { return strings.ReplaceAll(reason, `\"`, "'") }

// code returns the code of an event's fault; a fault that only a later step finds is bad
// data.
func (m *Machine) code(ev events.Event) invalid.Code {
	var fault *invalid.Error
	if errors.As(events.Validate(ev, events.Limits{}), &fault) {
		return cmp.Or(fault.Code, invalid.BadData)
	}
	return invalid.BadData
}

// turn numbers, redacts and segments one turn.
func (m *Machine) turn(state *State, in step.Input, turn *sessionevents.Turn, out *step.Emitter) error {
	session := state.session(turn.Session)
	content := contentHash(in.Event)
	id := xxhash.Sum64String(turn.TurnID)
	earlier, known := session.seen(id, content)
	if known && earlier && in.Event.Extensions[events.RetryExtension] == "" {
		session.Duplicates++ // SW-1a: a repeated turn has no effect
		return nil
	}
	if err := state.room(in.Event, eventMemory); err != nil {
		return err
	}
	cut, clean, err := m.cut(state, session, turn)
	if err != nil {
		return err
	}
	cut.Continuity = session.continuity(in.Event.Time, clean, known && !earlier)
	cut.Extra = m.extra(state, in.Event)
	state.remembered += session.remember(id, content)
	session.advance(in)
	out.Emit(sessionevents.TypeTurnSegmented, turn.Session, cut)
	m.watchIdle(session, turn, in, out)
	return nil
}

// cut redacts the turn before anything else reads it (SW-7), and returns its segments and
// the redacted turn.
func (m *Machine) cut(state *State, session *Session, turn *sessionevents.Turn) (*sessionevents.TurnSegmented, *sessionevents.Turn, error) {
	if len(turn.Native) > 0 {
		blocks, unsupported, err := m.options.NativeBlocks(turn.Format, turn.Native)
		if err != nil {
			return nil, nil, fmt.Errorf("read native %s turn: %w", turn.Format, err)
		}
		whole := *turn
		whole.Blocks, whole.Native = blocks, nil
		whole.Unsupported = append(slices.Clone(turn.Unsupported), unsupported...)
		turn = &whole
	}
	clean, secrets := state.cleaner(m).Turn(*turn)
	cut := m.options.Cutter.Cut(&clean, session.Turns+1, session.Workspace, secrets)
	cut.Bytes = turnBytes(turn)
	return cut, &clean, nil
}

// extra returns the fields of turn.raw that this version does not know (EV-3).
func (m *Machine) extra(state *State, ev events.Event) map[string]json.RawMessage {
	unknown := ev.UnknownFields()
	if len(unknown) == 0 {
		return nil
	}
	whole, err := json.Marshal(unknown)
	if err != nil {
		return nil
	}
	clean, _ := state.cleaner(m).JSON(whole)
	var kept map[string]json.RawMessage
	if json.Unmarshal(clean, &kept) != nil {
		return nil
	}
	return kept
}

// contentHash distinguishes a repeated turn from a fork with the same id (SW-1a).
func contentHash(ev events.Event) uint64 {
	if ev.Raw != nil {
		return xxhash.Sum64(ev.Raw)
	}
	data, err := json.Marshal(ev.Data)
	if err != nil {
		return 0 // cannot happen: the type is ours and was decoded from JSON
	}
	return xxhash.Sum64(data)
}

// turnBytes returns the size of a turn's text: what the agent said, sent and received.
func turnBytes(t *sessionevents.Turn) int {
	n := len(t.Text)
	for _, b := range t.Blocks {
		n += len(b.Text) + len(b.Input) + len(b.Output)
	}
	return n
}
