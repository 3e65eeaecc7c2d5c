package budget

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// StageName is the dispatcher's name as a stage.
const StageName = "dispatcher"

// Machine is the dispatcher as a stage: it reads SIGNALS and writes DECISIONS.
type Machine struct{ config *Config }

var _ step.Machine[*State] = (*Machine)(nil)

// NewMachine returns the stage; config must have passed [Config.Validate].
func NewMachine(config *Config) *Machine { return &Machine{config: config} }

// Stage returns "dispatcher".
func (m *Machine) Stage() string { return StageName }

// Version returns the schema version of the snapshot.
func (m *Machine) Version() int { return 4 }

// Options implements [step.Machine]: the machine needs none.
func (m *Machine) Options() step.Options[*State] { return step.Options[*State]{} }

// New returns the state of an unknown group.
func (m *Machine) New(group string) *State {
	return &State{Group: group, Sessions: map[string]*Session{}}
}

// Step forwards what DECISIONS needs, then emits the results of the event in the order
// decided: a turn's signals, its turn.evaluated, its decisions. It never fails; an event
// that it cannot use leads to no decision.
func (m *Machine) Step(state *State, in step.Input, out *step.Emitter) (*State, error) {
	if forwarded(in.Event.Type) {
		out.Forward(in.Event)
	}
	for _, session := range m.concerned(state, in.Event) {
		for _, d := range Decide(m.config, session, in.Event) {
			if typ, data := d.Event(); typ != "" {
				out.Emit(typ, session.ID, data)
			}
			Evolve(session, d)
		}
	}
	return state, nil
}

// forwarded reports whether the event is forwarded to DECISIONS, which alone must contain
// everything a report needs (EV-5). Turns themselves and timers are not forwarded.
func forwarded(t events.Type) bool {
	switch t {
	case sessionevents.TypeTurnRaw, sessionevents.TypeTurnSegmented, events.TypeTimerSet, events.TypeTimerExpired:
		return false
	}
	return true
}

// concerned returns the sessions that an event is about, in order of id. It adds a
// session that is unknown.
func (m *Machine) concerned(state *State, ev events.Event) []*Session {
	switch data := ev.Data.(type) {
	case *sessionevents.Signal:
		if dispatched(data) {
			return m.session(state, data.Session, ev.Subject)
		}
	case *sessionevents.TurnEvaluated:
		return m.session(state, data.Session, ev.Subject)
	case *sessionevents.SessionOpened:
		return m.session(state, data.Session, ev.Subject)
	case *sessionevents.SessionClosed:
		return m.session(state, data.Session, ev.Subject)
	case *sessionevents.InterruptDelivery:
		return state.known(data.Session)
	case *sessionevents.OpinionRecorded:
		if data.Session != "" {
			return state.known(data.Session)
		}
	case *runevents.OperatorAct:
		if data.Act == runevents.ActMute && data.Session != "" {
			return m.session(state, data.Session, "")
		}
		if data.Session == "" {
			m.muteGroup(state, data)
		}
		return state.known(data.Session)
	}
	return nil
}

func (m *Machine) session(state *State, id, subject string) []*Session {
	id = cmp.Or(id, subject)
	s, ok := state.Sessions[id]
	if !ok {
		s = &Session{ID: id, Budget: m.config.Budget, Mutes: slices.Clone(state.Mutes)}
		state.Sessions[id] = s
		state.makeRoom(m.config.Kept.Sessions, id)
	}
	state.Seen++
	s.Heard = state.Seen
	return []*Session{s}
}

// muteGroup keeps a mute without a session for future sessions of the group as well; its
// turns count from their beginning. An unmute removes it.
func (m *Machine) muteGroup(state *State, act *runevents.OperatorAct) {
	if act.Act != runevents.ActMute && act.Act != runevents.ActUnmute {
		return
	}
	mute, err := MuteOf(act, 0)
	switch {
	case err != nil:
	case act.Act == runevents.ActUnmute:
		state.Mutes = mute.Without(state.Mutes)
	default:
		state.Mutes = text.Newest(append(state.Mutes, mute), m.config.Kept.Mutes)
	}
}

// known returns the named session, or all sessions without a name.
func (s *State) known(id string) []*Session {
	if id != "" {
		if session, ok := s.Sessions[id]; ok {
			return []*Session{session}
		}
		return nil
	}
	var all []*Session
	for _, id := range slices.Sorted(maps.Keys(s.Sessions)) {
		all = append(all, s.Sessions[id])
	}
	return all
}

// Encode returns the snapshot, the same bytes for the same state.
func (m *Machine) Encode(state *State) ([]byte, error) {
	data, err := json.Marshal(state)
	if err != nil {
		return nil, fmt.Errorf("encode dispatch state of group %s: %w", state.Group, err)
	}
	return data, nil
}

// Decode reads a snapshot.
func (m *Machine) Decode(data []byte) (*State, error) {
	state := m.New("")
	if err := json.Unmarshal(data, state); err != nil {
		return nil, fmt.Errorf("decode dispatch state: %w", err)
	}
	if state.Sessions == nil {
		state.Sessions = map[string]*Session{}
	}
	return state, nil
}
