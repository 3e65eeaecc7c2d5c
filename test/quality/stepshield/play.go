package stepshield

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// queued is the urgency from which a signal is said (DP-2).
const queued sessionevents.Urgency = 20

// Alarm is a signal worth saying, raised in the turn of a step.
type Alarm struct {
	Step     int
	Detector string
	Kind     string // detector and subclass
	Urgency  sessionevents.Urgency
	Message  string
}

// Play returns what is said of a trajectory, one turn a step.
func Play(core *machines.Core, t *Trajectory) ([]Alarm, error) {
	chain := core.Chain()
	var out []Alarm
	for _, raw := range t.Events() {
		e, err := publish.Prepare(raw)
		if err != nil {
			return nil, fmt.Errorf("play %s: %w", t.File, err)
		}
		for _, decided := range chain.Feed(e) {
			if s, ok := decided.Data.(*sessionevents.Signal); ok && s.Suppressed == "" && (s.Urgency >= queued || s.Escalate) {
				out = append(out, Alarm{s.Turn, s.Detector, strings.TrimSuffix(s.Detector+"/"+s.Subclass, "/"), s.Urgency, s.Message})
			}
		}
	}
	return out, nil
}

// Events returns a trajectory as its agent would have published it.
func (t *Trajectory) Events() []events.Event {
	id := "trajectory"
	task := strings.Join(append([]string{t.Task.Title, t.Task.Description}, t.Task.Criteria...), "\n")
	out := []events.Event{{
		ID: "opened", Source: "/quality", Type: sessionevents.TypeSessionOpened, Subject: id,
		Data: &sessionevents.SessionOpened{Session: id, Task: task, Constraints: t.Task.Constraints},
	}}
	for i := range t.Steps {
		turn := t.Steps[i].turn(id)
		out = append(out, events.Event{ID: turn.TurnID, Source: "/quality", Type: sessionevents.TypeTurnRaw, Subject: id, Data: turn})
	}
	return out
}

func (s *Step) turn(session string) *sessionevents.Turn {
	number := strconv.Itoa(s.Number)
	input := s.Arguments
	if !json.Valid(input) || len(input) == 0 || string(input) == "null" {
		input = json.RawMessage("{}")
	}
	t := &sessionevents.Turn{Session: session, TurnID: "step-" + number, Format: "blocks"}
	if s.Thought != "" {
		t.Blocks = append(t.Blocks, sessionevents.Block{Type: sessionevents.BlockText, Text: s.Thought})
	}
	if s.Action != "" && s.Action != "noop" && s.Action != "end" {
		t.Blocks = append(t.Blocks,
			sessionevents.Block{Type: sessionevents.BlockToolCall, ID: number, Name: s.Action, Input: input},
			sessionevents.Block{Type: sessionevents.BlockToolResult, ID: number, Output: s.Observation})
	}
	if len(t.Blocks) == 0 {
		t.Blocks = []sessionevents.Block{{Type: sessionevents.BlockText, Text: "(nothing)"}}
	}
	return t
}
