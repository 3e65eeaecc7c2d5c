package evaluate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// stateVersion is the schema version of the snapshot (EV-11): an older one is rebuilt
// from its stream, so it must be raised with the registry's and with the form below.
const stateVersion = registry.SnapshotVersion + 8

// State is the evaluator's state of one group (EV-4).
type State struct {
	Sessions map[string]*session
	// Seen counts sessions' events; it orders sessions by their last event.
	Seen int
	// Dropped counts the sessions dropped because there were too many.
	Dropped int
	// Run is the state of the group's run for its shadows (RW-1 … RW-22).
	Run shadow.State
}

// session is the evaluator's state of one session. A closed session is kept, since it may be
// resumed (SW-1a).
type session struct {
	sessionForm
	registry *registry.Registry
	memory   *detect.Memory
	others   []*detect.Memory // of the suites in beside
}

// sessionForm is the part of a session that is stored as plain JSON.
type sessionForm struct {
	Closed bool                `json:"closed,omitempty"`
	Heard  int                 `json:"heard"` // State.Seen at its last event
	Agent  sessionevents.Agent `json:"agent,omitzero"`
	// Before is what determines the next natural pause (DP-16).
	Before segment.Before `json:"before"`
	// Ledger is the ledger of done (PD-1).
	Ledger ledger.Ledger `json:"ledger,omitzero"`
	// Advised is the part that a second opinion may still change (AD-2, AD-3).
	Advised advised `json:"advised,omitzero"`
	// Expected is the last turn that stated a hypothesis, in a session of a run (PL-20).
	Expected int `json:"expected,omitempty"`
}

// New returns the state of an unknown group.
func (*Machine) New(string) *State { return &State{Sessions: map[string]*session{}} }

// Version returns the snapshot's schema version.
func (*Machine) Version() int { return stateVersion }

// session returns a session, adding it if it is unknown. A subagent's session inherits
// its parent's baseline and codebase as soon as the parent knows them (SW-1).
func (m *Machine) session(state *State, id, parent string) *session {
	state.Seen++
	s := state.Sessions[id]
	if s == nil {
		s = &session{registry: registry.New(m.registry), memory: m.suite.NewMemory()}
		for _, b := range m.beside {
			s.others = append(s.others, b.Suite().NewMemory())
		}
		state.Sessions[id] = s
		m.rules.makeRoom(state, id)
	}
	s.Heard = state.Seen
	if p := state.Sessions[parent]; p != nil && parent != id {
		s.registry.Inherit(p.registry)
	}
	return s
}

// makeRoom drops a session if there are too many: closed ones first, then the longest
// silent one.
func (c *config) makeRoom(state *State, but string) {
	for len(state.Sessions) > c.Sessions {
		worst := ""
		for _, id := range slices.Sorted(maps.Keys(state.Sessions)) {
			if id != but && (worst == "" || lessWanted(state.Sessions[id], state.Sessions[worst])) {
				worst = id
			}
		}
		delete(state.Sessions, worst)
		state.Dropped++
	}
}

func lessWanted(a, b *session) bool {
	if a.Closed != b.Closed {
		return a.Closed
	}
	return a.Heard < b.Heard
}

type stateForm struct {
	Seen     int                     `json:"seen"`
	Dropped  int                     `json:"dropped,omitempty"`
	Sessions map[string]snapshotForm `json:"sessions"`
	Run      shadow.State            `json:"run,omitzero"`
}

type snapshotForm struct {
	sessionForm
	Registry json.RawMessage `json:"registry"`
	Memory   json.RawMessage `json:"memory"`
	// Others are the memories of the suites in beside, which no service has.
	Others []json.RawMessage `json:"others,omitempty"`
}

// Encode writes a snapshot, the same bytes for the same state.
func (m *Machine) Encode(state *State) ([]byte, error) {
	form := stateForm{Seen: state.Seen, Dropped: state.Dropped, Run: state.Run, Sessions: map[string]snapshotForm{}}
	for id, s := range state.Sessions {
		session, err := m.encodeSession(s)
		if err != nil {
			return nil, fmt.Errorf("encode session %s: %w", id, err)
		}
		form.Sessions[id] = session
	}
	return json.Marshal(form)
}

func (m *Machine) encodeSession(s *session) (form snapshotForm, err error) {
	form.sessionForm = s.sessionForm
	if form.Registry, err = s.registry.MarshalJSON(); err != nil {
		return form, err
	}
	if form.Memory, err = m.suite.EncodeMemory(s.memory); err != nil {
		return form, err
	}
	for i, b := range m.beside {
		data, err := b.Suite().EncodeMemory(s.others[i])
		if err != nil {
			return form, err
		}
		form.Others = append(form.Others, data)
	}
	return form, nil
}

// Decode reads a snapshot.
func (m *Machine) Decode(data []byte) (*State, error) {
	var form stateForm
	if err := json.Unmarshal(data, &form); err != nil {
		return nil, fmt.Errorf("decode evaluator state: %w", err)
	}
	state := m.New("")
	state.Seen, state.Dropped, state.Run = form.Seen, form.Dropped, form.Run
	for id, stored := range form.Sessions {
		s, err := m.decodeSession(stored)
		if err != nil {
			return nil, fmt.Errorf("decode session %s: %w", id, err)
		}
		state.Sessions[id] = s
	}
	return state, nil
}

func (m *Machine) decodeSession(form snapshotForm) (*session, error) {
	s := &session{sessionForm: form.sessionForm}
	var err error
	if s.registry, err = registry.Decode(m.registry, form.Registry); err != nil {
		return nil, err
	}
	if s.memory, err = m.suite.DecodeMemory(form.Memory); err != nil {
		return nil, err
	}
	for i, b := range m.beside {
		other, err := b.Suite().DecodeMemory(form.Others[i])
		if err != nil {
			return nil, err
		}
		s.others = append(s.others, other)
	}
	return s, nil
}

// Size estimates the memory of a state in bytes.
func (m *Machine) Size(state *State) int {
	n := 256 + state.Run.Size()
	for id, s := range state.Sessions {
		n += 512 + len(id) + s.registry.Size() + s.memory.Size() + s.Ledger.Size()
		for _, other := range s.others {
			n += other.Size()
		}
	}
	return n
}
