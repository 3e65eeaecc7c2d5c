package policy

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// settlement tells what all layers concluded of one event.
type settlement struct {
	*Config
	state *State
	in    step.Input
	out   *step.Emitter
	ids   []string // of what was decided, in order
}

// Settle emits what all layers concluded: decisions in order, then the control
// states that changed with them, then run.evaluated, which closes a run event.
func (c *Config) Settle(s *State, in step.Input, v *verdict.Verdict, out *step.Emitter) {
	if turn, is := in.Event.Data.(*sessionevents.TurnEvaluated); is && len(v.Conclusions()) == 0 && !s.changed && !s.drains(turn.Session) {
		return
	}
	t := settlement{Config: c, state: s, in: in, out: out}
	list := hardFirst(v.Conclusions())
	for i := range list {
		t.conclude(&list[i], list)
	}
	t.boundary()
	if s.changed {
		t.control()
		s.changed = false
	}
	t.close()
}

// hardFirst puts a hard break in the place of a soft one of the same event: hard
// outranks soft (RW-32).
func hardFirst(list []verdict.Conclusion) []verdict.Conclusion {
	soft := -1
	for i := range list {
		wish, is := list[i].Data.(*runevents.WiggumBreak)
		switch {
		case !is || wish.Scope == runevents.ScopeSession:
		case !isHard(wish) && soft < 0:
			soft = i
		case isHard(wish) && soft >= 0:
			list[soft], list[i] = list[i], list[soft]
			return list
		case isHard(wish):
			return list
		}
	}
	return list
}

func (t *settlement) conclude(one *verdict.Conclusion, all []verdict.Conclusion) {
	subject := t.subject(one.Subject)
	switch data := one.Data.(type) {
	case nil: // told with the break it reports
	case *runevents.WiggumBreak:
		t.settle(data, all)
	case *runevents.EscalationRaised:
		t.raise(subject, data, "")
	case *runevents.GateDecided:
		t.stands(data)
		t.tell(one.Type, subject, data)
	case *sessionevents.InterruptFired:
		t.interrupt(data)
	case *events.TimerSet:
		t.timer(data)
	default:
		t.tell(one.Type, subject, one.Data)
	}
}

// subject is what a conclusion is about: the run, unless it says otherwise.
func (t *settlement) subject(said string) string {
	switch {
	case said != "":
		return said
	case t.state.Run != "":
		return t.state.Run
	}
	return t.in.Event.Subject
}

func (t *settlement) tell(typ events.Type, subject string, data any) string {
	id := t.out.Emit(typ, subject, data)
	t.ids = append(t.ids, id)
	return id
}

func (t *settlement) timer(data *events.TimerSet) {
	subject := t.subject("")
	// A relay goes off in another group and belongs to no run there.
	if data.Group == "" && data.Run == "" && data.Session == "" {
		if data.Run = t.state.Run; data.Run == "" {
			data.Session = subject
		}
	}
	t.out.Emit(events.TypeTimerSet, subject, data)
}

// interrupt fills in what every interrupt outside the budget has in common. In
// observe mode nothing is said to agents (DP-25): what led to it is told anyway.
func (t *settlement) interrupt(data *sessionevents.InterruptFired) {
	if t.observe {
		return
	}
	if session := t.state.Sessions[data.Session]; session != nil && data.Turn == 0 {
		data.Turn = session.Turn
	}
	data.ID = t.out.NextID()
	data.Run = t.state.Run
	data.Target.Session = data.Session
	data.HoldUntil = "immediate"
	if data.UrgencyLabel == "" {
		data.UrgencyLabel = data.Detector
	}
	if data.Signals == nil {
		data.Signals = []string{}
	}
	if data.ExpiresTurn == 0 {
		data.ExpiresTurn = data.Turn + t.Interrupt.ExpiresAfterTurns
	}
	t.tell(sessionevents.TypeInterruptFired, data.Session, data)
}
