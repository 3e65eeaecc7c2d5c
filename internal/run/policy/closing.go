package policy

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxDecided bounds what is remembered of one event's signals.
const maxDecided = 256

// close tells that everything an event led to stands before this. It closes run
// events and what a person does to a run; who published them can wait for it.
func (t *settlement) close() {
	switch data := t.in.Event.Data.(type) {
	case *sessionevents.TurnEvaluated: // has a marker of its own (DP-10)
	case *sessionevents.Signal:
		t.decidedAhead()
	case *runevents.OperatorAct:
		if subject := t.closes(data); subject != "" {
			t.evaluated(subject)
		}
	default:
		if isRunEvent(t.in.Event.Type) {
			t.evaluated(t.in.Event.Subject)
		}
	}
}

// closes is the run that an act is closed for, "" for none. A session without a
// run stands for one only where it is resumed.
func (t *settlement) closes(act *runevents.OperatorAct) string {
	switch {
	case act.Run != "":
		return act.Run
	case act.Session == "" || act.Act == actResume:
		return t.in.Event.Group()
	}
	return ""
}

// decidedAhead remembers what a signal led to: the run event that it was seen in
// comes behind it.
func (t *settlement) decidedAhead() {
	if len(t.ids) == 0 {
		return
	}
	d := &t.state.Decided
	if d.Event != t.in.Event.CausationID {
		*d = Decided{Event: t.in.Event.CausationID}
	}
	d.IDs = keepLast(append(d.IDs, t.ids...), maxDecided)
}

func (t *settlement) evaluated(subject string) {
	s := t.state
	closing := &runevents.RunEvaluated{
		Event: t.in.Event.ID, EventType: string(t.in.Event.Type), Decisions: append([]string{}, t.ids...), State: runevents.ControlUnknown,
	}
	if s.Decided.Event != "" && s.Decided.Event == t.in.Event.ID {
		closing.Decisions = append(slices.Clone(s.Decided.IDs), t.ids...)
	}
	s.Decided = Decided{}
	if control := s.governing(subject); control.State != "" {
		closing.State = t.effective(&control)
		if control.Open != nil {
			closing.Break = control.Open.ID
		}
	}
	t.out.Emit(runevents.TypeRunEvaluated, subject, closing)
}

// governing is the control of a run, or of a session that stands for one.
func (s *State) governing(subject string) Control {
	if session := s.Sessions[subject]; session != nil && subject != s.Run {
		return s.over(session)
	}
	if subject == s.Run {
		return s.standing()
	}
	return Control{}
}
