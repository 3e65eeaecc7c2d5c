package detect

import (
	"encoding/json"
	"fmt"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Memory is what the suite keeps of one session: the detectors' own states and
// the signals that are not settled yet. It is bounded.
type Memory struct {
	states map[string]any // detector id → what its NewState returned
	open   []sessionevents.Signal
	// Dropped counts open signals that left because there were too many.
	Dropped int

	first *Memory        // of the suite that this one's runs beside
	lent  map[string]int // detectors whose state is the first one's
}

type memoryForm struct {
	States  map[string]json.RawMessage `json:"states,omitempty"`
	Open    []sessionevents.Signal     `json:"open,omitempty"`
	Dropped int                        `json:"dropped,omitempty"`
}

// NewMemory is the memory of a session nothing is known of.
func (s *Suite) NewMemory() *Memory { return &Memory{states: map[string]any{}} }

// state is a detector's state, made at first use; nil if it keeps none.
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

// Open are the signals still judged each turn, oldest first.
func (m *Memory) Open() []sessionevents.Signal { return m.open }

// detectorBytes is what a detector's state holds on average, measured on the heap
// of long sessions.
const detectorBytes = 768

// Size estimates the bytes a memory holds, by the length of its signals and a
// flat share for the detectors' states, which are bounded.
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

// EncodeMemory is the snapshot form of m.
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

// DecodeMemory reads what EncodeMemory wrote. States of detectors that no
// longer run are left out.
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
