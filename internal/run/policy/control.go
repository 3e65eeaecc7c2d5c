package policy

import (
	"cmp"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// control tells the states that changed: of the run, then of its sessions in
// order of id (RW-33).
func (t *settlement) control() {
	s := t.state
	if s.Run != "" {
		t.change(&s.Control, s.standing(), s.Over, runevents.ScopeRun, s.Run)
	}
	for _, id := range s.sessionIDs() {
		session := s.Sessions[id]
		now := s.over(session)
		if !session.Closed || t.effective(&now) == runevents.ControlRunning {
			t.change(&session.Control, now, session.ended(), runevents.ScopeSession, id)
		}
	}
	for _, id := range s.forgotten {
		t.ended(runevents.ScopeSession, id)
	}
	s.forgotten = nil
}

// change tells a state unless it was told already, and then, once, that what runs
// has ended. What is stopped stays so, also behind its end (RW-34).
func (t *settlement) change(told *Control, now Control, over bool, scope, id string) {
	state, cause, asked := t.effective(&now), "", ""
	if !t.observe {
		asked = now.asks
		if now.Open != nil {
			cause = now.Open.ID
		}
	}
	over = over && state == runevents.ControlRunning
	same := told.Told == state && told.Cause == cause && told.Asked == asked
	if same && told.Ended == over || over && told.Told == "" {
		return
	}
	if !same || !over {
		t.tell(runevents.TypeControlChanged, id, &runevents.ControlChanged{
			State: state, Break: cause, Who: now.Who, Why: now.Why, Scope: scope, Run: runOf(scope, t.state.Run), Question: asked,
		})
	}
	if over {
		t.ended(scope, id)
	}
	told.Told, told.Cause, told.Asked, told.Ended = state, cause, asked, over
}

// ended tells that a key has come to its end (EV-8).
func (t *settlement) ended(scope, id string) {
	t.tell(runevents.TypeControlChanged, id, &runevents.ControlChanged{
		State: runevents.ControlRunning, Scope: scope, Run: runOf(scope, t.state.Run), Ended: true,
	})
}

func runOf(scope, run string) string {
	if scope == runevents.ScopeRun {
		return ""
	}
	return run
}

// effective is what harnesses are told: in observe mode everything is decided
// and reported, and nothing halts (DP-25).
func (t *settlement) effective(c *Control) runevents.ControlState {
	if t.observe && c.State != "" {
		return runevents.ControlRunning
	}
	return c.State
}

// over is what governs a session: its own break or the run's, whichever is
// stricter.
func (s *State) over(session *Session) Control {
	run := s.standing()
	if session.Drained && run.State == runevents.ControlDraining {
		run.State = runevents.ControlHalted
	}
	if control.Compare(run.State, session.Control.State) > 0 {
		run.Open = cmp.Or(run.Open, session.Control.Open) // a paused run does not lift the session's break
		return run
	}
	own := session.Control
	if own.State == runevents.ControlRunning && s.Run != "" { // who let it go on
		own.Who, own.Why = run.Who, run.Why
	}
	return own
}

// drains reports whether the end of a session's turn can be a boundary.
func (s *State) drains(session string) bool {
	one := s.Sessions[session]
	return one == nil || s.Control.State == runevents.ControlDraining || one.Control.State == runevents.ControlDraining
}

// boundary is RW-33: a soft break halts at the next task boundary, or, where
// there are no tasks, at the end of the current turn of each session. A run
// without either halts at the end of a phase or cycle.
func (t *settlement) boundary() {
	s := t.state
	turn, ends := t.turnEnds()
	if ends != nil && ends.Control.State == runevents.ControlDraining {
		ends.Control.State, s.changed = runevents.ControlHalted, true
	}
	open := s.Control.Open
	if s.Control.State != runevents.ControlDraining || open == nil {
		return
	}
	if ends != nil && !ends.Drained && s.Place.Tasks == 0 {
		ends.Drained, s.changed = true, true
	}
	if turn && s.Place.Tasks == 0 && s.allDrained() || open.Event != t.in.Event.ID && t.workEnds() {
		s.Control.State, s.changed = runevents.ControlHalted, true
		s.Checkpoint.stop()
	}
}

// turnEnds is the session whose turn, or which itself, ends here.
func (t *settlement) turnEnds() (bool, *Session) {
	id := ""
	switch data := t.in.Event.Data.(type) {
	case *sessionevents.TurnEvaluated:
		id = data.Session
	case *sessionevents.SessionClosed:
		id = data.Session
	default:
		return false, nil
	}
	if id == "" {
		id = t.in.Event.Subject
	}
	return true, t.state.Sessions[id]
}

func (s *State) allDrained() bool {
	for _, session := range s.Sessions {
		if session.Turn > 0 && !session.Closed && !session.Drained {
			return false
		}
	}
	return true
}

// workEnds reports whether an event is the boundary of the run's work.
func (t *settlement) workEnds() bool {
	switch t.in.Event.Type {
	case runevents.TypeTaskCompleted, runevents.TypeRunCompleted:
		return true
	case runevents.TypePhaseCompleted, runevents.TypeCycleCompleted:
		return t.state.Place.Tasks == 0 && !t.state.hasTurns()
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
