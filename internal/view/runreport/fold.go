package runreport

import (
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Fold builds the report of one run from its DECISIONS.
type Fold struct {
	settings *Settings
	run      Run
	ran      bool // run events, or a break, came: there is something to report
	standing Standing

	list        *runlist.Fold // how the run stands, and what is open
	breaks      []*Break
	remedies    Remedies // corrective actions, and whether they helped
	escalations []*Escalation
	shadows     []Shadow
	said        []saying // what each of the remedies says
	violations  []Judged
	warnings    []Judged
	gates       []Gate
	steers      []*Steer
	policies    Policies
	cycles      []Cycle
	sessions    sessions
	prevented   prevented.List
	cost        Cost
	timeline    []Moment
	timelineCut int
	coverage    coverage
	cut         int                 // entries left out, of all lists but the timeline and the remedies
	concluded   runevents.RunJudged // by the rules, so far
}

// New starts the report of a run, or of a session without one. Without settings it
// uses those of the embedded rule data.
func New(id string, settings ...*Settings) *Fold {
	s := chosen(settings)
	return &Fold{
		settings: s, run: Run{ID: id}, standing: Standing{State: runevents.ControlUnknown}, list: runlist.New(),
		sessions: sessions{byID: map[string]*Session{}}, prevented: prevented.List{Max: s.Limits.Entries}, coverage: newCoverage(),
	}
}

func chosen(settings []*Settings) *Settings {
	if len(settings) > 0 && settings[0] != nil {
		return settings[0]
	}
	return DefaultSettings()
}

// Apply folds one event of DECISIONS; events about other runs change nothing.
func (f *Fold) Apply(ev events.Event) {
	if ev.Data == nil || runlist.RunOf(ev) != f.run.ID {
		return
	}
	f.remedies.Apply(f.settings.Limits.Entries, ev)
	if ev.Group() == f.run.ID { // another group's news was decided there
		f.list.Add(ev)
	}
	f.span(ev)
	described, known := events.Lookup(ev.Type)
	if known && described.RunEvent {
		course{f}.runEvent(ev, described)
		return
	}
	f.decision(ev)
}

// span keeps the times of the run's own events.
func (f *Fold) span(ev events.Event) {
	if ev.Time.IsZero() {
		return
	}
	at := ev.Time.UTC()
	if f.run.First.IsZero() || at.Before(f.run.First) {
		f.run.First = at
	}
	if at.After(f.run.Last) {
		f.run.Last = at
	}
}

// decision is what was decided about the run, and what its sessions do.
func (f *Fold) decision(ev events.Event) {
	switch d := ev.Data.(type) {
	case *sessionevents.TurnEvaluated:
		f.turn(ev, d)
	case *sessionevents.InputRefused:
		f.refused(ev, d)
	case *sessionevents.SessionOpened:
		f.sessionOpened(ev, d)
	case *sessionevents.SessionClosed:
		f.sessionClosed(ev, d)
	case *sessionevents.Signal:
		decided{f}.signal(ev, d)
	case *sessionevents.InterruptFired:
		decided{f}.interrupt(ev, d)
	case *sessionevents.InterruptDelivery:
		decided{f}.delivery(d)
	case *runevents.OperatorAct:
		f.moment(ev, "operator: "+string(d.Act), joined(mentioned(d.By), passage(d.Why)))
	case *runevents.RunEvaluated:
		f.evaluated(ev, d)
	case *runevents.ControlChanged:
		decided{f}.control(ev, d)
	default:
		decided{f}.decided(ev)
	}
}

// decided is what the layers decided.
func (f decided) decided(ev events.Event) {
	switch d := ev.Data.(type) {
	case *sessionevents.GuardDecided:
		f.guarded(ev, d)
	case *runevents.WiggumBreak:
		f.broke(ev, d)
	case *runevents.BreakNoted:
		f.noted(ev, d)
	case *runevents.HaltIgnored:
		f.haltIgnored(ev, d)
	case *runevents.EscalationRaised:
		f.escalated(ev, d)
	case *runevents.CorrectionIssued:
		f.corrected(ev, d)
	case *runevents.ViolationDetected:
		f.judgement(ev, runevents.Judgement(*d), &f.violations, "violation")
	case *runevents.WarningIssued:
		f.judgement(ev, runevents.Judgement(*d), &f.warnings, "warning")
	case *runevents.GateDecided:
		f.gate(ev, d)
	case *runevents.PolicyBudget:
		f.budget(ev, d)
	case *runevents.PolicyCheckpoint:
		f.checkpoint(ev, d)
	case *runevents.ClarificationRequested:
		f.moment(ev, "a person is asked", d.Question)
	case *runevents.RunJudged:
		f.judged(ev, d)
	case *runevents.ClarificationDefaulted:
		f.moment(ev, "nobody answered", "option "+d.Default+" is taken")
	}
}

// moment adds to the timeline; beyond the limit it is only counted.
func (f *Fold) moment(ev events.Event, what, text string) {
	if len(f.timeline) >= f.settings.Limits.Timeline {
		f.timelineCut++
		return
	}
	f.timeline = append(f.timeline, Moment{Time: ev.Time.UTC(), Event: ev.ID, What: what, Text: f.settings.short(text)})
}

// room reports whether a list takes one more entry; one that is left out is counted.
func (f *Fold) room(entries int) bool {
	if entries < f.settings.Limits.Entries {
		return true
	}
	f.cut++
	return false
}

// joined puts parts that are not empty together.
func joined(first, second string) string {
	if first == "" || second == "" {
		return first + second
	}
	return first + ": " + second
}

// Settings are the section "runreport" of the rule data.
type Settings struct {
	Limits Limits `yaml:"limits"`
}

// Limits are the maximum lengths of lists; what is left out is counted.
type Limits struct {
	Timeline int `yaml:"timeline" range:"1..100000"`
	Entries  int `yaml:"entries" range:"1..100000"`
	Sessions int `yaml:"sessions" range:"1..100000"`
	Text     int `yaml:"text" range:"20..100000"` // characters
}

// LoadSettings reads the rule data; an error names file, line and cure.
func LoadSettings(set *rules.Set) (*Settings, error) {
	var s Settings
	if err := set.Decode("runreport", &s); err != nil {
		return nil, fmt.Errorf("read run report settings: %w", err)
	}
	return &s, nil
}

// DefaultSettings are those of the embedded rule data.
func DefaultSettings() *Settings {
	s, err := LoadSettings(rules.Default())
	if err != nil {
		panic(err) // the embedded data is checked by this package's tests
	}
	return s
}

// short bounds a text by characters.
func (s *Settings) short(text string) string {
	runes := 0
	for at := range text {
		if runes == s.Limits.Text {
			return text[:at] + "…"
		}
		runes++
	}
	return text
}

// Set keeps a fold for each run of a stream.
type Set struct {
	settings *Settings
	folds    map[string]*Fold
	order    []string // as they appeared
}

// NewSet returns an empty set. Without settings it uses those of the embedded rule data.
func NewSet(settings ...*Settings) *Set {
	return &Set{settings: chosen(settings), folds: map[string]*Fold{}}
}

// Apply folds one event of DECISIONS into the run it is about.
func (s *Set) Apply(ev events.Event) {
	if ev.Data == nil {
		return
	}
	id := runlist.RunOf(ev)
	f := s.folds[id]
	if f == nil {
		f = New(id, s.settings)
		s.folds[id] = f
		s.order = append(s.order, id)
	}
	f.Apply(ev)
}

// Results returns the reports in the order in which their runs appeared; a session
// without a run is included only if something was decided about it (RW-35).
func (s *Set) Results() []Model {
	var all []Model
	for _, id := range s.order {
		if f := s.folds[id]; f.Reportable() {
			all = append(all, f.Result())
		}
	}
	return all
}

// Result returns one run's report; ok is false for a run that never appeared.
func (s *Set) Result(run string) (m Model, ok bool) {
	f, known := s.folds[run]
	if !known || !f.Reportable() {
		return Model{}, false
	}
	return f.Result(), true
}

// coverage is the fold behind Coverage.
type coverage struct {
	Coverage
	pending map[string]bool // run events that run.evaluated has not closed yet
	claims  map[events.Type]*Claim
}

func newCoverage() coverage {
	return coverage{pending: map[string]bool{}, claims: map[events.Type]*Claim{}}
}

// maxPending bounds what is awaited; a stage closes each event before the next.
const maxPending = 1000

func (c *coverage) heard(ev events.Event) {
	c.Events++
	if len(c.pending) < maxPending {
		c.pending[ev.ID] = true
	}
}

// claim counts a fact that came without its credential (EV-10).
func (c *coverage) claim(ev events.Event) {
	one := c.claims[ev.Type]
	if one == nil {
		one = &Claim{Type: ev.Type, First: ev.ID}
		c.claims[ev.Type] = one
	}
	one.Count++
}

// refused counts an event that was refused at the door. One about the run is closed
// by its run.evaluated, which names it; one about a session is a turn nobody watched.
func (f *Fold) refused(ev events.Event, d *sessionevents.InputRefused) {
	switch {
	case d.RunEvent():
		f.coverage.Events++
	case d.Turn():
		f.coverage.Turns++
		f.coverage.TurnsFailed++
		if s := f.sessions.of(f, named(d.Session, ev)); s != nil {
			s.Turns++
			s.TurnsFailed++
		}
		f.moment(ev, "turn refused", passage(d.Reason))
	default:
		f.moment(ev, "refused: "+mentioned(d.EventType), passage(d.Reason))
	}
}

// evaluated closes a run event: everything it led to comes before this event.
func (f *Fold) evaluated(ev events.Event, d *runevents.RunEvaluated) {
	c := &f.coverage
	f.standing.State, f.standing.Break = d.State, d.Break
	known := c.pending[d.Event]
	delete(c.pending, d.Event)
	switch {
	case d.Failed != "":
		f.ran = true
		f.moment(ev, "not evaluated: "+d.EventType, d.Failed)
		if f.room(len(c.Failed)) {
			c.Failed = append(c.Failed, FailedEvent{Event: d.Event, Type: events.Type(d.EventType), Why: f.settings.short(d.Failed)})
		}
	case known:
		c.Evaluated++
	}
}

// covered is the finished account.
func (f *Fold) covered() Coverage {
	c := f.coverage.Coverage
	c.Pending, c.LeftOut = len(f.coverage.pending), f.cut+f.remedies.LeftOut
	c.Failed = slices.Clone(orEmpty(c.Failed))
	c.Claims = []Claim{}
	for _, kind := range slices.Sorted(maps.Keys(f.coverage.claims)) {
		c.Claims = append(c.Claims, *f.coverage.claims[kind])
	}
	return c
}
