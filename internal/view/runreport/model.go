package runreport

import (
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/head"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
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

// Page puts runs, after the given sessions, on one page. Sessions on the page are linked.
func Page(sessions []sessionreport.Model, runs ...Model) doc.Page {
	p := sessionreport.Page(sessions...)
	if len(runs) == 0 {
		return p
	}
	links := map[string]string{}
	for i, s := range sessions {
		links[s.Session.ID] = sessionreport.Anchor(i)
	}
	if len(sessions) == 0 {
		p.Lead = nil
	}
	for i := range runs {
		d := Document(runs[i])
		link(&d, runs[i].Sessions, links)
		p.Documents = append(p.Documents, d)
	}
	p.Of, p.Heading = "run "+runs[0].Run.ID, p.Documents[len(p.Documents)-1].Heading
	if len(runs)+len(sessions) > 1 {
		p.Of = page.Plural(len(sessions), "session") + " and " + page.Plural(len(runs), "run")
		p.Heading = "SCAFFOLD-WATCH REPORTS"
	}
	return p
}

// link makes the names of sessions lead to their reports on the same page.
func link(d *doc.Document, sessions []Session, links map[string]string) {
	for i := range d.Parts {
		if d.Parts[i].Title != sessionsTitle {
			continue
		}
		for at, row := range d.Parts[i].Rows() {
			row[0].Link = links[sessions[at].ID]
		}
	}
}

// Report is the report in all its forms. Text and page have the reader's clock, what is handed on has UTC.
func Report(m Model, zone *time.Location) doc.Report {
	here := m
	here.Zone = zone
	return doc.Report{
		Of: "run " + m.Run.ID, Model: m, Screen: func() doc.Document { return Document(here) },
		Prescribed: func() doc.Document { return Document(m) }, Page: func() doc.Page { return Page(nil, here) },
	}
}

// Result returns the report so far; the fold is unchanged and may continue.
func (f *Fold) Result() Model {
	m := Model{
		SchemaVersion: SchemaVersion, Report: "run", Run: f.run, Standing: f.standing,
		Shadows: slices.Clone(orEmpty(f.shadows)), Violations: slices.Clone(orEmpty(f.violations)), Warnings: slices.Clone(orEmpty(f.warnings)),
		Gates: slices.Clone(orEmpty(f.gates)), Cycles: slices.Clone(orEmpty(f.cycles)),
		Policies: Policies{Checkpoints: slices.Clone(orEmpty(f.policies.Checkpoints)), Budget: slices.Clone(orEmpty(f.policies.Budget))},
		Cost:     f.cost, Timeline: slices.Clone(orEmpty(f.timeline)), TimelineCut: f.timelineCut, Coverage: f.covered(),
		Escalations: []Escalation{}, Steers: []Steer{}, Sessions: []Session{}, Questions: []runlist.Question{},
	}
	m.Run.Lone = f.run.Lone && f.run.Events == 0
	f.finishLists(&m)
	m.Prevented = f.prevented.Section()
	m.Effectiveness = effectiveness(m.Corrections)
	f.conclude(&m)
	return m
}

// finishLists copies what still changes, with what is known by now.
func (f *Fold) finishLists(m *Model) {
	m.Breaks, m.Corrections = decided{f}.listed(), decided{f}.corrections()
	open, questions := f.open()
	for _, e := range f.escalations {
		one := *e
		one.Reminders, one.Open = slices.Clone(e.Reminders), open[e.ID]
		m.Escalations = append(m.Escalations, one)
	}
	m.Questions = append(m.Questions, questions...)
	for _, s := range f.steers {
		one := *s
		one.Delivery = slices.Clone(s.Delivery)
		m.Steers = append(m.Steers, one)
	}
	for _, s := range f.sessions.order {
		m.Sessions = append(m.Sessions, *s)
	}
}

// open are the escalations nobody has acknowledged and the questions nobody has
// answered, as in the list of runs (RW-41).
func (f *Fold) open() (map[string]bool, []runlist.Question) {
	open := map[string]bool{}
	for _, r := range f.list.Runs() {
		if r.ID != f.run.ID {
			continue
		}
		for _, e := range r.Escalations {
			open[e.ID] = true
		}
		return open, r.Questions
	}
	return open, nil
}

// Reportable reports whether there is anything to report: a run event came, or
// something was decided about a session beyond its own report (RW-35).
func (f *Fold) Reportable() bool { return f.ran }

// judged folds what the rules concluded from an event beside their decisions.
func (f *Fold) judged(ev events.Event, d *runevents.RunJudged) {
	for i := range d.Breaks {
		decided{f}.judgedBreak(ev, &d.Breaks[i])
	}
	if d.Cycle != nil {
		decided{f}.compared(ev, d.Cycle)
	}
	rest := *d
	rest.Breaks, rest.Cycle = nil, nil
	f.concluded.Add(&rest)
	c := &f.concluded
	c.Degradations, c.Leftovers = bounded(f, c.Degradations), bounded(f, c.Leftovers)
	c.Evaluations, c.ScopeChecks = bounded(f, c.Evaluations), bounded(f, c.ScopeChecks)
	for i := range c.Conformance {
		c.Conformance[i].Events = bounded(f, c.Conformance[i].Events)
	}
	for i := range c.RulesBroken {
		c.RulesBroken[i].Events = bounded(f, c.RulesBroken[i].Events)
	}
	if c.Isolation != nil {
		c.Isolation.Incidents = bounded(f, c.Isolation.Incidents)
	}
	if c.Calibration != nil {
		c.Calibration.Entries, c.Calibration.Misread = bounded(f, c.Calibration.Entries), bounded(f, c.Calibration.Misread)
	}
}

// bounded cuts a list to its limit; what is left out is counted.
func bounded[T any](f *Fold, list []T) []T {
	over := len(list) - f.settings.Limits.Entries
	if over <= 0 {
		return list
	}
	f.cut += over
	return list[:f.settings.Limits.Entries]
}

// conclude puts what the rules concluded into the report.
func (f *Fold) conclude(m *Model) {
	var c runevents.RunJudged
	c.Add(&f.concluded) // a copy: the fold goes on
	m.Pipeline = Pipeline{
		Degradations: orEmpty(c.Degradations), Leftovers: orEmpty(c.Leftovers), Evaluations: orEmpty(c.Evaluations), Scopes: orEmpty(c.ScopeChecks),
	}
	for _, d := range c.Degradations {
		m.Pipeline.FindingsCited += d.Findings
		m.Pipeline.FixLoops += d.FixLoops
	}
	m.Calibration = c.Calibration
	if c.Isolation == nil {
		return
	}
	m.Isolation = &Isolation{Layers: orEmpty(c.Isolation.Layers), Incidents: orEmpty(c.Isolation.Incidents), Tainted: c.Isolation.Tainted}
	slices.Sort(m.Isolation.Tainted)
	for i := range m.Isolation.Incidents {
		m.Isolation.Incidents[i].Number = 0 // the place in the list says it
		if m.Isolation.Incidents[i].Observer {
			m.Isolation.Observer++
		}
	}
	m.Conformance, m.Rules = clauses(c.Conformance), clauses(c.RulesBroken)
}

func clauses(list []runevents.Clause) []Clause {
	var out []Clause
	for _, c := range list {
		out = append(out, Clause(c))
	}
	return out
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
