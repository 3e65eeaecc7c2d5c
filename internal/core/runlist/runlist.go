// Package runlist folds DECISIONS into a list of runs: how each stands, what is
// open about it, and what a person may answer.
package runlist

import (
	"cmp"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Run is one run as it stands.
type Run struct {
	ID        string `json:"run"`
	Kind      string `json:"kind,omitempty"`
	Goal      string `json:"goal,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	Project   string `json:"project,omitempty"`
	Workflow  string `json:"workflow,omitempty"`

	State   events.ControlState `json:"state"`
	Outcome string              `json:"outcome,omitempty"` // of run.completed
	// Break is the open one, nil where there is none.
	Break       *Break       `json:"break,omitempty"`
	Escalations []Escalation `json:"escalations"` // open, oldest first
	Questions   []Question   `json:"questions"`   // unanswered clarifications, oldest first
	// Refused are the gates whose last answer was deny or hold.
	Refused []Gate `json:"refused"`

	Events   int         `json:"events"`
	Last     time.Time   `json:"last"`
	LastType events.Type `json:"last_type"`
}

// Break is an open wiggum.break.
type Break struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
	events.WiggumBreak
	cause string // event that led to it
}

// Escalation waits for a person.
type Escalation struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	RemindedBy string    `json:"reminded_by,omitempty"` // id of the one that raised it again
	// Break is the wiggum.break that it reports, by its own layer or ours.
	Break string `json:"break,omitempty"`
	cause string // event that led to it
	events.EscalationRaised
}

// Question is a clarification that nobody has answered.
type Question struct {
	At time.Time `json:"at"`
	events.ClarificationRequested
}

// Gate is a gate's last answer.
type Gate struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
	events.GateDecided
}

// kept bounds each list of a run, the oldest leave; more wait in the stream.
const kept = 200

// Types are the decisions that the fold takes, beside run events and operator.act.
func Types() []events.Type {
	return []events.Type{
		events.TypeRunEvaluated, events.TypeControlChanged, events.TypeWiggumBreak, events.TypeEscalationRaised,
		events.TypeClarificationRequested, events.TypeClarificationDefaulted, events.TypeGateDecided,
	}
}

// Fold folds events in the order of the stream.
type Fold struct {
	runs   map[string]*Run
	breaks map[string]map[string]Break // by run and id
}

// New is an empty fold.
func New() *Fold {
	return &Fold{runs: map[string]*Run{}, breaks: map[string]map[string]Break{}}
}

// Runs are the runs, the latest first; those at one time by id.
func (f *Fold) Runs() []Run {
	out := make([]Run, 0, len(f.runs))
	for _, r := range f.runs {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Run) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// run is the run of a group, begun where it is not known.
func (f *Fold) run(id string) *Run {
	r := f.runs[id]
	if r == nil {
		r = &Run{ID: id, State: events.ControlUnknown, Escalations: []Escalation{}, Questions: []Question{}, Refused: []Gate{}}
		f.runs[id] = r
		f.breaks[id] = map[string]Break{}
	}
	return r
}
