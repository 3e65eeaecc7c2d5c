package settle

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Facts describes the run in a break. The layer that folds the facts implements it.
type Facts interface {
	// RunState returns the progress of the run (RW-32).
	RunState() runevents.RunState
	// Unresolved returns the open findings, the most severe first.
	Unresolved() []runevents.Finding
	// Best names the best result so far.
	Best() string
	// TasksCompleted returns the number of completed tasks: a soft break halts at the end
	// of a task (RW-33).
	TasksCompleted() int
}

// settlement settles one event. Breaks, gates, timers and interrupts are settled together, since each may end,
// hold or explain another; its methods share one list of decisions.
type settlement struct {
	*Config
	state   *State
	context *run.Context
	facts   Facts
	out     *step.Emitter
	ids     []string // of the events decided so far
}

// Decide settles the conclusions of all layers about an event: it emits the decisions in
// order, then the control states that changed, then run.evaluated, which closes a run
// event. Each decision evolves the state.
func (c *Config) Decide(s *State, context *run.Context, facts Facts, out *step.Emitter) {
	list := context.Conclusions()
	if turn, is := context.Event.Data.(*sessionevents.TurnEvaluated); is && len(list) == 0 && !s.changed && !s.drains(turn.Session) {
		return
	}
	t := settlement{Config: c, state: s, context: context, facts: facts, out: out}
	list = hardFirst(list)
	for i := range list {
		t.settle(&list[i], list)
	}
	t.boundary()
	if s.changed {
		t.publishChanges()
	}
	t.close()
}

// hardFirst swaps a hard break with an earlier soft one of the same event, since hard
// breaks take precedence (RW-32).
func hardFirst(list []run.Conclusion) []run.Conclusion {
	soft := -1
	for i := range list {
		request, is := list[i].Data.(*runevents.WiggumBreak)
		switch {
		case !is || request.Scope == runevents.ScopeSession:
		case !isHard(request) && soft < 0:
			soft = i
		case isHard(request) && soft >= 0:
			list[soft], list[i] = list[i], list[soft]
			return list
		case isHard(request):
			return list
		}
	}
	return list
}

// settle decides one conclusion; all are the conclusions of the event.
func (t *settlement) settle(one *run.Conclusion, all []run.Conclusion) {
	subject := t.subject(one.Subject)
	switch data := one.Data.(type) {
	case nil: // raised with the break it reports
	case *runevents.WiggumBreak:
		t.requested(data, all)
	case *runevents.EscalationRaised:
		t.raise(subject, data, "")
	case *runevents.GateDecided:
		t.hold(data)
		t.take(emitted{one.Type, subject, data})
	case *sessionevents.InterruptFired:
		t.interrupt(data)
	case *events.TimerSet:
		t.timer(data)
	default:
		t.take(emitted{one.Type, subject, one.Data})
	}
}

// subject returns what a conclusion is about: the named subject, or else the run.
func (t *settlement) subject(named string) string {
	switch {
	case named != "":
		return named
	case t.state.Run != "":
		return t.state.Run
	}
	return t.context.Event.Subject
}

func (t *settlement) timer(data *events.TimerSet) {
	subject := t.subject("")
	// A relay expires in another group and belongs to no run there.
	if data.Group == "" && data.Run == "" && data.Session == "" {
		if data.Run = t.state.Run; data.Run == "" {
			data.Session = subject
		}
	}
	t.take(emitted{events.TypeTimerSet, subject, data})
}

// interrupt fills in the fields that all interrupts outside the budget share. In observe
// mode agents receive none (DP-25); their cause is published nevertheless.
func (t *settlement) interrupt(data *sessionevents.InterruptFired) {
	if t.ObserveOnly {
		return
	}
	if session := t.state.Sessions[data.Session]; session != nil && data.Turn == 0 {
		data.Turn = session.Turn
	}
	data.ID = t.out.NextID()
	data.Run = t.state.Run
	data.Target.Session = data.Session
	data.HoldUntil = sessionevents.HoldImmediate
	if data.UrgencyLabel == "" {
		data.UrgencyLabel = data.Detector
	}
	if data.Signals == nil {
		data.Signals = []string{}
	}
	if data.ExpiresTurn == 0 {
		data.ExpiresTurn = data.Turn + t.Interrupt.ExpiresAfterTurns
	}
	t.take(emitted{sessionevents.TypeInterruptFired, data.Session, data})
}
