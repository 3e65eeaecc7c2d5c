package detect

import (
	"encoding/json"
	"fmt"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Memory is what the suite keeps of one session: the detectors' own states and the open
// signals. It is bounded.
type Memory struct {
	states map[string]any // detector id → the state from its NewState
	open   []sessionevents.Signal
	// Dropped counts the open signals that were dropped because there were too many.
	Dropped int

	first *Memory        // of the suite that this one runs alongside
	lent  map[string]int // detectors that share the first memory's state
}

type memoryForm struct {
	States  map[string]json.RawMessage `json:"states,omitempty"`
	Open    []sessionevents.Signal     `json:"open,omitempty"`
	Dropped int                        `json:"dropped,omitempty"`
}

// NewMemory returns the memory of a new session.
func (s *Suite) NewMemory() *Memory { return &Memory{states: map[string]any{}} }

// state returns a detector's state, created on first use; nil if it has none.
func (m *Memory) state(id string, instance Instance) any {
	if _, lent := m.lent[id]; lent {
		return m.first.state(id, instance)
	}
	if kept, ok := m.states[id]; ok {
		return kept
	}
	fresh := instance.NewState()
	m.states[id] = fresh
	return fresh
}

// Open returns the signals that are still judged each turn, oldest first.
func (m *Memory) Open() []sessionevents.Signal { return m.open }

// detectorBytes is the average size of a detector's state, measured on the heap of long
// sessions.
const detectorBytes = 768

// Size estimates the size of a memory in bytes, from the length of its signals and a flat
// share for the detectors' states, which are bounded.
func (m *Memory) Size() int {
	n := detectorBytes * (1 + len(m.states))
	for i := range m.open {
		s := &m.open[i]
		n += 512 + len(s.Subject) + len(s.Message) + len(s.Reason)
		for _, e := range s.Evidence {
			n += 128 + len(e.Quote) + len(e.Path)
		}
	}
	return n
}

// EncodeMemory returns the snapshot form of m.
func (s *Suite) EncodeMemory(m *Memory) (json.RawMessage, error) {
	form := memoryForm{States: map[string]json.RawMessage{}, Open: m.open, Dropped: m.Dropped}
	for id, state := range m.states {
		if state == nil {
			continue
		}
		data, err := json.Marshal(state)
		if err != nil {
			return nil, fmt.Errorf("encode the state of detector %s: %w", id, err)
		}
		form.States[id] = data
	}
	return json.Marshal(form)
}

// DecodeMemory reads the output of EncodeMemory. States of detectors that no longer run
// are dropped.
func (s *Suite) DecodeMemory(data json.RawMessage) (*Memory, error) {
	var form memoryForm
	if err := json.Unmarshal(data, &form); err != nil {
		return nil, fmt.Errorf("decode detector memory: %w", err)
	}
	m := s.NewMemory()
	m.open, m.Dropped = form.Open, form.Dropped
	for _, e := range s.entries {
		raw, ok := form.States[e.detector.ID]
		state := e.instance.NewState()
		if !ok || state == nil {
			continue
		}
		if err := json.Unmarshal(raw, state); err != nil {
			return nil, fmt.Errorf("decode the state of detector %s: %w", e.detector.ID, err)
		}
		m.states[e.detector.ID] = state
	}
	return m, nil
}
