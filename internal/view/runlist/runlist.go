// Package runlist folds DECISIONS into a list of runs: the state of each, what is open, and what a person
// may answer.
package runlist

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Run is the current state of one run.
type Run struct {
	ID        string `json:"run"`
	Kind      string `json:"kind,omitempty"`
	Goal      string `json:"goal,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	Project   string `json:"project,omitempty"`
	Workflow  string `json:"workflow,omitempty"`

	State   runevents.ControlState `json:"state"`
	Outcome string                 `json:"outcome,omitempty"` // from run.completed
	// Break is the open break, nil if there is none.
	Break       *Break       `json:"break,omitempty"`
	Escalations []Escalation `json:"escalations"` // open, oldest first
	Questions   []Question   `json:"questions"`   // unanswered clarifications, oldest first
	// Refused are the gates whose last answer was deny or hold.
	Refused []Gate `json:"refused"`
	// Warnings counts them; the run's report lists them.
	Warnings int `json:"warnings,omitempty"`

	Events   int         `json:"events"`
	Last     time.Time   `json:"last"`
	LastType events.Type `json:"last_type"`
}

// Break is an open wiggum.break.
type Break struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
	runevents.WiggumBreak
	Cause string `json:"cause,omitempty"` // id of the event that led to it
}

// Escalation is a request for a person's attention.
type Escalation struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	RemindedBy string    `json:"reminded_by,omitempty"` // id of its reminder
	// Break is the wiggum.break that it reports, raised by its own layer or by ours.
	Break string `json:"break,omitempty"`
	Cause string `json:"cause,omitempty"` // id of the event that led to it
	runevents.EscalationRaised
}

// Question is a clarification that nobody has answered.
type Question struct {
	At time.Time `json:"at"`
	runevents.ClarificationRequested
}

// Gate is a gate's last answer.
type Gate struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
	runevents.GateDecided
}

// kept limits each list of a run; the oldest entries are dropped, but remain in the stream.
const kept = 200

// Types returns the decisions that the fold handles, in addition to run events and operator.act.
func Types() []events.Type {
	return []events.Type{
		runevents.TypeRunEvaluated, runevents.TypeControlChanged, runevents.TypeWiggumBreak, runevents.TypeEscalationRaised,
		runevents.TypeClarificationRequested, runevents.TypeClarificationDefaulted, runevents.TypeGateDecided,
		runevents.TypeWarningIssued,
	}
}

// State is the fold of one run: plain data that survives encoding as JSON unchanged.
type State struct {
	Run    Run              `json:"run"`
	Breaks map[string]Break `json:"breaks,omitempty"` // those that are not over, by id
}

// Begin returns the state of a run before any event is folded.
func Begin(id string) State {
	return State{
		Run: Run{
			ID: id, State: runevents.ControlUnknown, Escalations: []Escalation{}, Questions: []Question{}, Refused: []Gate{},
		},
	}
}

// MaxRuns is how many runs a Fold keeps at least; those idle longest are dropped.
const MaxRuns = 20_000

// maxOwn limits how many sessions without a run a Fold remembers.
const maxOwn = 5 * MaxRuns

// Fold folds events of many runs in the order of the stream.
type Fold struct {
	runs  map[string]*place
	own   map[string]bool // groups that are sessions without a run
	count int             // number of events
	most  int
}

// place is a run with the number of its last event.
type place struct {
	State
	last int
}

// New returns an empty fold.
func New() *Fold { return &Fold{runs: map[string]*place{}, own: map[string]bool{}, most: MaxRuns} }

// Add folds one event.
func (f *Fold) Add(e events.Event) {
	id := Changes(e)
	one := f.runs[id]
	if OwnSession(e) && len(f.own) < maxOwn {
		f.own[id] = true
	}
	if one == nil {
		if !Begins(e) || f.own[id] && OfSubagents(e) {
			return
		}
		one = &place{State: Begin(id)}
		f.runs[id] = one
	}
	f.count++
	one.last = f.count
	one.Apply(e)
	f.makeRoom()
}

// makeRoom drops an eighth of the runs at once, so that it is not needed for each event.
func (f *Fold) makeRoom() {
	if len(f.runs) <= f.most+f.most/8 {
		return
	}
	order := make([]int, 0, len(f.runs))
	for _, one := range f.runs {
		order = append(order, one.last)
	}
	slices.Sort(order)
	oldest := order[len(order)-f.most]
	maps.DeleteFunc(f.runs, func(_ string, one *place) bool { return one.last < oldest })
}

// Runs returns the runs, latest first; runs with the same time are sorted by id.
func (f *Fold) Runs() []Run {
	out := make([]Run, 0, len(f.runs))
	for _, one := range f.runs {
		out = append(out, one.Run)
	}
	slices.SortFunc(out, func(a, b Run) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
	})
	return out
}
