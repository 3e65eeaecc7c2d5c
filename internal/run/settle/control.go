package settle

import (
	"cmp"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Ask sets the question that the run waits for, nil for none. The run is paused until the
// question is answered or withdrawn; an open break stays open. It reports whether the
// question changed (PL-33).
func (s *State) Ask(question *run.Question) bool {
	before := s.Question
	if s.Run == "" || before == question || before != nil && question != nil && *before == *question {
		return false
	}
	s.Question, s.changed = question, true
	return true
}

// Standing returns the run's control: its own, or paused while the run waits for an
// answer.
func (s *State) Standing() Control {
	now := s.Control
	if s.Question == nil || now.State != runevents.ControlRunning && now.State != runevents.ControlDraining {
		return now
	}
	now.State, now.asks = runevents.ControlPaused, s.Question.ID
	if now.Open == nil {
		now.Who, now.Why = "", s.Question.Why
	}
	return now
}

// HardHalt returns the hard break that applies to a session, nil if there is none.
func (s *State) HardHalt(session *Session) *Open {
	switch {
	case session.Control.Hard():
		return session.Control.Open
	case s.Control.Hard():
		return s.Control.Open
	}
	return nil
}

// governing returns the control that applies to a session: its own or the run's,
// whichever is stricter.
func (s *State) governing(session *Session) Control {
	standing := s.Standing()
	if session.Drained && standing.State == runevents.ControlDraining {
		standing.State = runevents.ControlHalted
	}
	if control.Compare(standing.State, session.Control.State) > 0 {
		standing.Open = cmp.Or(standing.Open, session.Control.Open) // a paused run does not lift the session's break
		return standing
	}
	own := session.Control
	if own.State == runevents.ControlRunning && s.Run != "" { // name who resumed it
		own.Who, own.Why = standing.Who, standing.Why
	}
	return own
}

// publishChanges publishes the states that changed: of the run, then of its
// sessions in order of id (RW-33).
func (t *settlement) publishChanges() {
	s := t.state
	if s.Run != "" {
		t.publish(&s.Control, s.Standing(), s.Over, runevents.ScopeRun, s.Run)
	}
	for _, id := range s.sessionIDs() {
		session := s.Sessions[id]
		now := s.governing(session)
		if !session.Closed || t.effective(&now) == runevents.ControlRunning {
			t.publish(&session.Control, now, session.Ended(), runevents.ScopeSession, id)
		}
	}
	for _, id := range s.dropped {
		t.end(nil, runevents.ScopeSession, id)
	}
	t.take(published{})
}

// publish publishes a state that has not been published yet and, once, the end of a run
// or session. A stopped run or session stays stopped after its end (RW-34).
func (t *settlement) publish(control *Control, now Control, over bool, scope runevents.Scope, id string) {
	state, cause, asked := t.effective(&now), "", ""
	if !t.ObserveOnly {
		asked = now.asks
		if now.Open != nil {
			cause = now.Open.ID
		}
	}
	over = over && state == runevents.ControlRunning
	same := control.Published == state && control.Cause == cause && control.Asked == asked
	if same && control.Ended == over || over && control.Published == "" {
		return
	}
	if !same || !over {
		t.take(changed{id, &runevents.ControlChanged{
			State: state, Break: cause, Who: now.Who, Why: now.Why, Scope: scope, Run: t.runOf(scope), Question: asked,
		}, control})
	}
	if over {
		t.end(control, scope, id)
	}
}

// end publishes the end of a key (EV-8).
func (t *settlement) end(control *Control, scope runevents.Scope, id string) {
	t.take(ended{id, &runevents.ControlChanged{
		State: runevents.ControlRunning, Scope: scope, Run: t.runOf(scope), Ended: true,
	}, control})
}

// runOf returns the run that a key belongs to, "" for the run's own key.
func (t *settlement) runOf(scope runevents.Scope) string {
	if scope == runevents.ScopeRun {
		return ""
	}
	return t.state.Run
}

// effective returns the state to publish: in observe mode nothing halts (DP-25).
func (t *settlement) effective(c *Control) runevents.ControlState {
	if t.ObserveOnly && c.State != "" {
		return runevents.ControlRunning
	}
	return c.State
}
