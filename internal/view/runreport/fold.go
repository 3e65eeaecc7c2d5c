package runreport

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
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
