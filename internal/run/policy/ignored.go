package policy

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ignoredByTurn is RW-33: a session goes on after a hard break. Turns of a run
// that drains are no offence.
func (f *fold) ignoredByTurn(session *Session, data *sessionevents.TurnEvaluated) {
	open := f.state.hardHalt(session)
	if open == nil || f.observe {
		return
	}
	session.Ignored++
	id := f.sessionID(data.Session)
	f.haltIgnored(open, id, &runevents.HaltIgnored{
		Break: open.ID, Run: f.state.Run, Session: id, Turn: data.Turn, Count: session.Ignored,
		Reason: fmt.Sprintf("Session %s published turn %d after the hard break (%s).", id, data.Turn, open.Trigger),
	})
}

// ignoredByRun is RW-33: the orchestrator begins new work after a hard break.
func (f *fold) ignoredByRun() {
	open := f.state.Control.Open
	if f.observe || !f.state.Control.hard() {
		return
	}
	what := begun(f.in.Event.Data)
	if what == "" {
		return
	}
	open.Ignored++
	f.haltIgnored(open, f.state.Run, &runevents.HaltIgnored{
		Break: open.ID, Run: f.state.Run, Count: open.Ignored,
		Reason: fmt.Sprintf("The orchestrator began %s after the hard break (%s).", what, open.Trigger),
	})
}

// begun names the work that an event begins, "" if it begins none.
func begun(data any) string {
	switch data := data.(type) {
	case *runevents.AgentSpawned:
		return "agent " + named(data.AgentID)
	case *runevents.AgentStarted:
		return "agent " + named(agentName(data.AgentID, data.Letter))
	case *runevents.PhaseStarted:
		return "phase " + named(data.Phase)
	case *runevents.WaveStarted:
		return fmt.Sprintf("wave %d", data.Wave)
	}
	return ""
}

// haltIgnored tells it each time, and a person once per break.
func (f *fold) haltIgnored(open *Open, subject string, data *runevents.HaltIgnored) {
	f.v.TellAbout(subject, runevents.TypeHaltIgnored, data)
	if open.Escalated {
		return
	}
	open.Escalated = true
	f.v.TellAbout(subject, runevents.TypeEscalationRaised, &runevents.EscalationRaised{
		Layer: sessionevents.LayerPolicy, Issue: "halt/ignored", To: toUser, Run: data.Run, Session: data.Session, Text: data.Reason + " Stop it by hand.",
	})
}

func (c *Control) hard() bool {
	return c.State == runevents.ControlHalted && c.Open != nil && c.Open.Kind == runevents.BreakHard
}

// hardHalt is the hard break that a session has to obey, nil if there is none.
func (s *State) hardHalt(session *Session) *Open {
	switch {
	case session.Control.hard():
		return session.Control.Open
	case s.Control.hard():
		return s.Control.Open
	}
	return nil
}
