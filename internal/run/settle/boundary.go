package settle

import (
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// drains reports whether the end of a turn of the session can be a boundary.
func (s *State) drains(session string) bool {
	one := s.Sessions[session]
	return one == nil || s.Control.State == runevents.ControlDraining || one.Control.State == runevents.ControlDraining
}

// boundary is RW-33: a soft break halts at the next task boundary or, in a run
// without tasks, at the end of the current turn of each session. A run with neither
// halts at the end of a phase or cycle.
func (t *settlement) boundary() {
	s := t.state
	turn, id := t.turnEnds()
	session := s.Sessions[id]
	if session != nil && session.Control.State == runevents.ControlDraining {
		t.take(halted{session: id})
	}
	open := s.Control.Open
	if s.Control.State != runevents.ControlDraining || open == nil {
		return
	}
	withoutTasks := t.facts.TasksCompleted() == 0
	if session != nil && !session.Drained && withoutTasks {
		t.take(drained{session: id})
	}
	if turn && withoutTasks && s.allDrained() || open.Event != t.context.Event.ID && t.workEnds(withoutTasks) {
		t.take(halted{})
	}
}

// turnEnds returns the session that ends here, or whose turn does.
func (t *settlement) turnEnds() (ends bool, session string) {
	switch data := t.context.Event.Data.(type) {
	case *sessionevents.TurnEvaluated:
		session = data.Session
	case *sessionevents.SessionClosed:
		session = data.Session
	default:
		return false, ""
	}
	if session == "" {
		session = t.context.Event.Subject
	}
	return true, session
}

func (s *State) allDrained() bool {
	for _, session := range s.Sessions {
		if session.Turn > 0 && !session.Closed && !session.Drained {
			return false
		}
	}
	return true
}

// workEnds reports whether an event is a boundary of the run's work.
func (t *settlement) workEnds(withoutTasks bool) bool {
	switch t.context.Event.Type {
	case runevents.TypeTaskCompleted, runevents.TypeRunCompleted:
		return true
	case runevents.TypePhaseCompleted, runevents.TypeCycleCompleted:
		return withoutTasks && !t.state.hasTurns()
	}
	return false
}

func (s *State) hasTurns() bool {
	for _, session := range s.Sessions {
		if session.Turn > 0 && !session.Closed {
			return true
		}
	}
	return false
}
