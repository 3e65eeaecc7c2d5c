package runreport

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/head"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// SchemaVersion is the version of the JSON form. Fields are only added within a
// version; a changed meaning raises it.
const SchemaVersion = 1

// Model is a run's report as data; its JSON form is public. Lists are in the order
// of the stream.
type Model struct {
	SchemaVersion int      `json:"schema_version"`
	Report        string   `json:"report"` // "run"; a session's report has "session" instead
	Run           Run      `json:"run"`
	Standing      Standing `json:"standing"`

	Breaks        []Break            `json:"breaks"`         // RW-32
	Escalations   []Escalation       `json:"escalations"`    // RW-41
	Questions     []runlist.Question `json:"open_questions"` // PL-36
	Shadows       []Shadow           `json:"shadows"`
	Corrections   []Correction       `json:"corrections"`   // RW-42
	Effectiveness []Effectiveness    `json:"effectiveness"` // RW-42, by action
	Violations    []Judged           `json:"violations"`
	Warnings      []Judged           `json:"warnings"`
	Gates         []Gate             `json:"gates"`
	Steers        []Steer            `json:"interrupts"` // outside the interrupt budget
	Policies      Policies           `json:"policies"`   // RW-20, RW-21
	Cycles        []Cycle            `json:"cycles"`     // RW-31

	// Isolation and the conformance are absent for a run that does not use the
	// wave protocol (WP-17, WP-19).
	Isolation   *Isolation             `json:"isolation_defence,omitempty"`
	Conformance []Clause               `json:"conformance,omitempty"`
	Rules       []Clause               `json:"rules_broken,omitempty"`
	Pipeline    Pipeline               `json:"pipeline"`
	Calibration *runevents.Calibration `json:"calibration,omitempty"` // PL-39

	Prevented   *prevented.Section `json:"prevented,omitempty"` // in its sessions, before it ran (GD-21)
	Sessions    []Session          `json:"sessions"`
	Cost        Cost               `json:"cost"`
	Timeline    []Moment           `json:"timeline"`
	TimelineCut int                `json:"timeline_left_out"`
	Coverage    Coverage           `json:"coverage"`

	Heads []head.Head `json:"heads,omitempty"` // it was made from; absent offline

	// Zone is the reader's; nil is UTC. The JSON form is in UTC whatever it is.
	Zone *time.Location `json:"-"`
}

// Run says which run the report is about.
type Run struct {
	ID        string `json:"id"`
	Kind      string `json:"kind,omitempty"`
	Goal      string `json:"goal,omitempty"`
	Project   string `json:"project,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	Workflow  string `json:"workflow,omitempty"`
	// Lone says that it is a session without a run: its own run (RW-35).
	Lone      bool      `json:"session_without_run,omitempty"`
	Completed bool      `json:"completed"`
	Outcome   string    `json:"outcome,omitempty"`
	PRURL     string    `json:"pr_url,omitempty"`
	Summary   string    `json:"summary,omitempty"`
	Events    int       `json:"events"`
	First     time.Time `json:"first_event,omitzero"`
	Last      time.Time `json:"last_event,omitzero"`
}

// Standing is whether the run may continue, as last reported (RW-33).
type Standing struct {
	State runevents.ControlState `json:"state"`
	Break string                 `json:"break,omitempty"` // the open one
	Who   string                 `json:"who,omitempty"`
	Why   string                 `json:"why,omitempty"`
}

// Pipeline is what the pipeline layer reports about a run.
type Pipeline struct {
	Degradations []runevents.Degradation `json:"degradations"` // PL-3
	Leftovers    []runevents.Leftover    `json:"leftovers"`    // PL-8
	Evaluations  []runevents.Evaluation  `json:"evaluations"`  // PL-20
	Scopes       []runevents.ScopeResult `json:"scope_checks"` // PL-40
	// FindingsCited and FixLoops are the sums over all degradations: the data that
	// decides whether the policy should change (PL-3).
	FindingsCited int `json:"findings_citing_missing_context"`
	FixLoops      int `json:"fix_loops_after_partial"`
}

// Isolation is the section "Isolation defence" (WP-17).
type Isolation struct {
	Layers    []runevents.IsolationLayer    `json:"layers"`
	Incidents []runevents.IsolationIncident `json:"incidents"`
	// Observer counts what our own live detection saw; it is not a layer.
	Observer int   `json:"observer"`
	Tainted  []int `json:"tainted,omitempty"` // waves accepted as they are, for good
}

// Clause is an invariant or rule and how the run conforms to it (WP-19).
type Clause struct {
	ID         string               `json:"id"`
	Title      string               `json:"title"`
	Conformity runevents.Conformity `json:"conformity"`
	Violations int                  `json:"violations,omitempty"`
	Warnings   int                  `json:"warnings,omitempty"`
	Events     []string             `json:"events,omitempty"` // of what was found, in order
}

// Moment is one entry of the timeline.
type Moment struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"`
	What  string    `json:"what"`
	Text  string    `json:"text,omitempty"`
}

// Coverage says what was watched, so that silence means something.
type Coverage struct {
	Events    int `json:"run_events"`
	Evaluated int `json:"run_events_evaluated"`
	// Pending were heard of and not closed by run.evaluated yet.
	Pending int           `json:"run_events_pending"`
	Failed  []FailedEvent `json:"run_events_failed"`
	// Claims are facts that came without the credential their type needs: they are
	// reported, but prove nothing (EV-10).
	Claims      []Claim `json:"claims"`
	Turns       int     `json:"turns"`
	TurnsFailed int     `json:"turns_failed"`
	LeftOut     int     `json:"entries_left_out"` // of all lists but the timeline
	// NewsNotHeld says that the run is reported on from a bundle without what was concluded
	// from its news to its workspace or project (PL-10, RW-15).
	NewsNotHeld bool `json:"news_not_held,omitempty"`
}

// FailedEvent is a run event that could not be evaluated.
type FailedEvent struct {
	Event string      `json:"event"`
	Type  events.Type `json:"type"`
	Why   string      `json:"why"`
}

// Claim counts the claims of one type.
type Claim struct {
	Type  events.Type `json:"type"`
	Count int         `json:"count"`
	First string      `json:"first"` // event id
}
