package sessionreport

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Fold builds the report of one session from its DECISIONS.
type Fold struct {
	settings *Settings
	session  Session

	signals map[string]*Finding // by signal id
	order   []*Finding          // as detected
	capped  map[string]bool     // a validator keeps the signal at LOG only

	fired      []*Fired
	halts      []Halt
	prevented  prevented.List
	opinions   *Opinions
	forRun     []*Addressed
	charged    map[string]bool // interrupts that took a unit not yet given back
	budget     int             // at the start
	left       int
	exhausted  int // most signals that waited for a spent budget
	timeline   []Moment
	moments    int
	rows       map[int]*Turn // by number
	rowsCut    map[int]bool  // turns beyond the limit
	redFlags   map[string]*RedFlag
	usage      *Usage
	coverage   coverage
	done       doneFold
	finish     finishFold
	tests      int // edits of test files
	testsAdded int // test cases
	linesAdded int
	linesGone  int
}

// New starts the report of a session. Without settings it uses those of the embedded
// rule data.
func New(session string, settings ...*Settings) *Fold {
	s := chosen(settings)
	return &Fold{
		settings: s, session: Session{ID: session}, budget: s.Budget, left: s.Budget,
		signals: map[string]*Finding{}, capped: map[string]bool{}, charged: map[string]bool{},
		prevented: prevented.List{Max: maxPrevented},
		redFlags:  map[string]*RedFlag{}, coverage: newCoverage(), rows: map[int]*Turn{}, rowsCut: map[int]bool{},
	}
}

func chosen(settings []*Settings) *Settings {
	if len(settings) > 0 && settings[0] != nil {
		return settings[0]
	}
	return defaultSettings()
}

// Apply folds one event of DECISIONS; events of other sessions change nothing.
func (f *Fold) Apply(ev events.Event) {
	if id, ours := sessionOf(ev); !ours || id != "" && id != f.session.ID {
		return
	}
	if f.apply(ev) {
		f.seen(ev)
	}
}

// apply reports whether the event says something about the session.
func (f *Fold) apply(ev events.Event) bool {
	switch d := ev.Data.(type) {
	case *sessionevents.SessionOpened:
		f.opened(d)
	case *sessionevents.SessionClosed:
		f.closed(d)
	case *sessionevents.Signal:
		f.detected(d)
	case *sessionevents.TurnEvaluated:
		f.turn(d)
	case *sessionevents.InputRefused:
		notes{f}.refused(d)
	case *sessionevents.Disposition:
		f.disposed(ev.Type, d)
	case *sessionevents.InterruptQueued:
		f.queued(d)
	case *sessionevents.InterruptFired:
		if ofSession(d) {
			notes{f}.interrupt(d)
		} else {
			notes{f}.address(addressedBy(d))
		}
	case *runevents.CorrectionIssued:
		notes{f}.address(correction(ev.ID, d))
	case *sessionevents.BudgetExhausted:
		f.exhausted = max(f.exhausted, d.Queued)
		f.moment(d.Turn, "budget exhausted", d.Note)
	case *sessionevents.InterruptDelivery:
		return notes{f}.delivered(d)
	case *sessionevents.GuardDecided:
		notes{f}.guarded(ev, d)
	case *sessionevents.OpinionRecorded:
		notes{f}.opined(d)
	case *sessionevents.CheckObserved:
		f.done.receipts = text.Newest(append(f.done.receipts, *d), maxReceipts)
	case *runevents.WiggumBreak:
		notes{f}.broke(ev.ID, d)
	case *runevents.HaltIgnored:
		notes{f}.ignoredHalt(d)
	case *runevents.EscalationRaised:
		return notes{f}.escalated(ev.ID, d)
	case *runevents.OperatorAct:
		return notes{f}.acted(d)
	default:
		return false
	}
	return true
}

// seen keeps the span of the session's own times.
func (f *Fold) seen(ev events.Event) {
	if ev.Time.IsZero() {
		return
	}
	if f.session.Opened.IsZero() || ev.Time.Before(f.session.Opened) {
		f.session.Opened = ev.Time.UTC()
	}
	if ev.Time.After(f.session.Last) {
		f.session.Last = ev.Time.UTC()
	}
}

func (f *Fold) opened(d *sessionevents.SessionOpened) {
	f.session.Closed, f.session.Reason = false, ""
	if d.Run != "" {
		f.session.Run = d.Run
	}
	if d.Task != "" {
		f.session.Task = d.Task
	}
	if d.Workspace != "" {
		f.session.Workspace = d.Workspace
	}
	if d.Agent != nil {
		f.session.Agent = d.Agent
	}
}

func (f *Fold) closed(d *sessionevents.SessionClosed) {
	f.session.Closed, f.session.Reason = true, d.Reason
	f.moment(f.coverage.lastTurn, "session closed", d.Reason)
}

// moment adds to the timeline; beyond the limit it is only counted.
func (f *Fold) moment(turn int, what, text string) {
	f.moments++
	if len(f.timeline) < f.settings.Limits.Timeline {
		f.timeline = append(f.timeline, Moment{Turn: turn, What: what, Text: text})
	}
}

// sessionOf is the session an event is about, "" where it names none though it
// may concern one; ours is false for events no session report needs.
func sessionOf(ev events.Event) (id string, ours bool) {
	named := func(id string) (string, bool) {
		if id == "" {
			id = ev.Subject
		}
		return id, true
	}
	switch d := ev.Data.(type) {
	case *sessionevents.SessionOpened:
		return named(d.Session)
	case *sessionevents.SessionClosed:
		return named(d.Session)
	case *sessionevents.Signal:
		if d.Layer != sessionevents.LayerSession && d.Layer != "" {
			return "", false // it is in the run's report
		}
		return named(d.Session)
	case *sessionevents.TurnEvaluated:
		return named(d.Session)
	case *sessionevents.InputRefused:
		return d.Session, d.Session != ""
	case *sessionevents.Disposition:
		return named(d.Session)
	case *sessionevents.InterruptQueued:
		return named(d.Session)
	case *sessionevents.InterruptFired:
		return named(d.Session)
	case *sessionevents.BudgetExhausted:
		return named(d.Session)
	case *runevents.CorrectionIssued:
		return d.Target.Session, d.Target.Session != ""
	case *sessionevents.InterruptDelivery:
		return d.Session, true
	case *sessionevents.GuardDecided:
		return named(d.Session)
	case *sessionevents.OpinionRecorded:
		return named(d.Session)
	case *sessionevents.CheckObserved:
		return named(d.Session)
	case *runevents.WiggumBreak:
		return d.Session, d.Scope == runevents.ScopeSession // a run's is in the run's report
	case *runevents.HaltIgnored:
		return d.Session, d.Session != ""
	case *runevents.EscalationRaised:
		return d.Session, d.Session != ""
	case *runevents.OperatorAct:
		return d.Session, true
	}
	return "", false
}

// Kinds of what is said to an agent for its run.
const (
	kindCorrection = "correction"
	kindInterrupt  = "interrupt"
)

// ofSession reports an interrupt of the session's own detectors, which takes a
// unit of its budget; those of waves and pipelines do not (RW-40).
func ofSession(d *sessionevents.InterruptFired) bool {
	return d.Layer == "" || d.Layer == sessionevents.LayerSession
}

func addressedBy(d *sessionevents.InterruptFired) Addressed {
	return Addressed{
		ID: d.ID, Kind: kindInterrupt, Turn: d.Turn, Layer: d.Layer, Issue: cmp.Or(d.UrgencyLabel, d.Detector),
		Message: d.Message, Reason: d.Reason,
	}
}

// correction is identified by its event's id, as its delivery is.
func correction(id string, d *runevents.CorrectionIssued) Addressed {
	return Addressed{ID: id, Kind: kindCorrection, Layer: d.Layer, Issue: d.Issue, Step: d.Step, Message: d.Text}
}

// address keeps what was said to the agent for its run, once.
func (f notes) address(a Addressed) {
	if f.addressed(a.ID) != nil {
		return
	}
	if a.Turn == 0 {
		a.Turn = f.coverage.lastTurn
	}
	a.Deliveries = []Delivery{}
	f.forRun = append(f.forRun, &a)
	f.moment(a.Turn, a.Kind+" for the run", a.Issue+": "+a.Message)
}

func (f notes) addressed(id string) *Addressed {
	i := slices.IndexFunc(f.forRun, func(a *Addressed) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return f.forRun[i]
}

// answered keeps a fact about what was said for the run; it reports whether it
// was about this session's.
func (f notes) answered(id string, d Delivery) bool {
	a := f.addressed(id)
	if a == nil {
		return false
	}
	if !slices.Contains(a.Deliveries, d) {
		a.Deliveries = append(a.Deliveries, d)
	}
	return true
}

func (f notes) saidForRun() []Addressed {
	var all []Addressed
	for _, a := range f.forRun {
		said := *a
		said.Deliveries = append([]Delivery{}, a.Deliveries...)
		all = append(all, said)
	}
	return all
}

// Heading summarizes what was said in a few words, like the agent's headline.
func (a Addressed) Heading() string {
	if a.Kind == kindCorrection {
		return fmt.Sprintf("[Turn %d] CORRECTION: %s | STEP %d", a.Turn, a.Issue, a.Step)
	}
	return fmt.Sprintf("[Turn %d] INTERRUPT: %s | %s", a.Turn, a.Layer, a.Issue)
}

// Delivery returns how its delivery went.
func (a Addressed) Delivery() string {
	if len(a.Deliveries) == 0 {
		return "no delivery was reported"
	}
	return deliveriesText(a.Deliveries, 0)
}

// forRunTitle is the heading of what was said for the run.
const forRunTitle = "Said to the agent for its run (outside the budget)"
