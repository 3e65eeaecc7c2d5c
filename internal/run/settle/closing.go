package settle

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxDecided bounds the decisions remembered for the signals of one event.
const maxDecided = 256

// close emits run.evaluated after all other events. It closes run events and acts
// of operators, so that their publishers can wait for it.
func (t *settlement) close() {
	switch data := t.context.Event.Data.(type) {
	case *sessionevents.TurnEvaluated: // has a marker of its own (DP-10)
	case *sessionevents.Signal:
		if len(t.ids) > 0 {
			t.take(decidedAhead{event: t.context.Event.CausationID, ids: t.ids})
		}
	case *sessionevents.InputRefused:
		t.closeRefused(data)
	case *runevents.OperatorAct:
		if subject := t.closes(data); subject != "" {
			t.evaluated(subject)
		}
	default:
		if t.context.RunEvent {
			t.evaluated(t.context.Event.Subject)
		}
	}
}

// closes returns the run for which an act is closed, "" if none. A session without a run
// is closed only by its resume and its halt.
func (t *settlement) closes(act *runevents.OperatorAct) string {
	switch {
	case act.Run != "":
		return act.Run
	case act.Session == "" || act.Act == runevents.ActResume || act.Act == runevents.ActHalt:
		return t.context.Event.Group()
	}
	return ""
}

func (t *settlement) evaluated(subject string) { t.take(closed{subject, t.closing(subject)}) }

// closing returns the content of run.evaluated.
func (t *settlement) closing(subject string) *runevents.RunEvaluated {
	s := t.state
	closing := &runevents.RunEvaluated{
		Event: t.context.Event.ID, EventType: string(t.context.Event.Type), Decisions: append([]string{}, t.ids...), State: runevents.ControlUnknown,
	}
	if s.Decided.Event != "" && s.Decided.Event == t.context.Event.ID {
		closing.Decisions = append(slices.Clone(s.Decided.IDs), t.ids...)
	}
	if control := s.controlOf(subject); control.State != "" {
		closing.State = t.effective(&control)
		if control.Open != nil {
			closing.Break = control.Open.ID
		}
	}
	return closing
}

// controlOf returns the control of the run or of a session; the zero value for any
// other subject.
func (s *State) controlOf(subject string) Control {
	if session := s.Sessions[subject]; session != nil && subject != s.Run {
		return s.governing(session)
	}
	if subject == s.Run {
		return s.Standing()
	}
	return Control{}
}
