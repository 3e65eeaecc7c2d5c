package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Tally is a small machine whose output depends on its whole past: it numbers
// and sums a group's turns, ignoring those it has seen. A text that begins with
// "panic", "error", "slow" or "many N" makes it misbehave.
type Tally struct {
	Name   string        // of the stage; default "tally"
	Schema int           // Version; default 1
	Reads  int           // the oldest version; default Version
	Slow   chan struct{} // what "slow" waits for
	Pad    int           // bytes added to each state
}

// State is the past of one group.
type State struct {
	Count int             `json:"count"`
	Sum   int             `json:"sum"`
	Seen  map[string]bool `json:"seen"`
	Pad   string          `json:"pad,omitempty"`
}

// Stage implements step.Machine.
func (t Tally) Stage() string {
	if t.Name == "" {
		return "tally"
	}
	return t.Name
}

// New implements step.Machine.
func (t Tally) New(string) *State {
	return &State{Seen: map[string]bool{}, Pad: strings.Repeat("x", t.Pad)}
}

// Step implements step.Machine. It changes the state before it misbehaves.
func (t Tally) Step(s *State, in step.Input, out *step.Emitter) (*State, error) {
	text := in.Event.ID
	if turn, ok := in.Event.Data.(*sessionevents.Turn); ok {
		text = turn.Text
	}
	if s.Seen[in.Event.ID] {
		return s, nil
	}
	s.Seen[in.Event.ID] = true
	if in.Event.Type == runevents.TypeContentPurged {
		out.Forward(in.Event)
		return s, nil
	}
	s.Count++
	s.Sum += len(text)
	many := 1
	switch word, rest, _ := strings.Cut(text, " "); word {
	case "panic":
		panic("the secret of " + text)
	case "error":
		return nil, errors.New("told to fail")
	case "slow":
		<-t.Slow
	case "many":
		if _, err := fmt.Sscan(rest, &many); err != nil {
			return nil, fmt.Errorf("how many: %w", err)
		}
	}
	for range many {
		out.Emit(sessionevents.TypeTurnEvaluated, in.Event.Subject, &sessionevents.TurnEvaluated{
			Session: in.Event.Subject, Turn: s.Count, Signals: []string{in.Event.ID, strconv.Itoa(s.Sum)},
		})
	}
	return s, nil
}

// Poisoned reports an input that could not be folded.
func (t Tally) Poisoned(in step.Input, reason string, _ func(string) string, out *step.Emitter) {
	out.Emit(sessionevents.TypeTurnEvaluated, in.Event.Subject, &sessionevents.TurnEvaluated{
		Session: in.Event.Subject, Signals: []string{in.Event.ID}, Failed: reason,
	})
}

// Encode implements step.Machine.
func (t Tally) Encode(s *State) ([]byte, error) { return json.Marshal(s) }

// Decode implements step.Machine.
func (t Tally) Decode(data []byte) (*State, error) {
	s := t.New("")
	return s, json.Unmarshal(data, s)
}

// Version implements step.Machine.
func (t Tally) Version() int { return max(t.Schema, 1) }

// Options implements step.Machine.
func (t Tally) Options() step.Options[*State] {
	return step.Options[*State]{Oldest: t.Reads, Poisoned: t.Poisoned}
}

// Size implements step.Machine.
func (t Tally) Size(s *State) int { return 100 + 40*len(s.Seen) + len(s.Pad) }

// Exact is a Tally whose state must cover everything, as ingest's.
type Exact struct{ Tally }

// Options implements step.Machine.
func (e Exact) Options() step.Options[*State] {
	o := e.Tally.Options()
	o.Whole = true
	return o
}
