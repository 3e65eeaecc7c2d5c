package policy

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// haltIgnoredBySession is RW-33: a session continues after a hard break. Turns of a
// draining run are allowed.
var haltIgnoredBySession = Rule{ID: "RW-33", On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context, data *sessionevents.TurnEvaluated) {
	if c.config.ObserveOnly {
		return
	}
	id := c.sessionID(data.Session)
	session := c.state.Sessions[id]
	if session == nil {
		return
	}
	open := c.state.HardHalt(session)
	if open == nil || underWay(c.Event.Time, open) || !acted(data.Observed) {
		return
	}
	session.Ignored++
	c.haltIgnored(open, id, &runevents.HaltIgnored{
		Break: open.ID, Run: c.state.Run, Session: id, Turn: data.Turn, Count: session.Ignored,
		Reason: fmt.Sprintf("Session %s published turn %d after the hard break (%s).", id, data.Turn, open.Trigger),
	})
})}

// underWay reports whether a turn began before the break: work already in progress does
// not count.
func underWay(began time.Time, open *settle.Open) bool {
	return !began.IsZero() && !open.At.IsZero() && !began.After(open.At)
}

// acted reports whether an agent acted in a turn: a tool ran, a file was edited or a
// request was answered. Refused calls and a closing message are not acts. A turn without
// observations counts as an act.
func acted(o *sessionevents.Observations) bool {
	if o == nil {
		return true
	}
	ran := o.Segments[sessionevents.SegmentTool] + o.Segments[sessionevents.SegmentError] - o.Refused
	answered := o.Segments[sessionevents.SegmentUser] > 0 && o.Segments[sessionevents.SegmentPlan] > 0
	return ran > 0 || len(o.FilesEdited) > 0 || answered
}

// haltIgnoredByRun is RW-33: the orchestrator starts new work after a hard break.
var haltIgnoredByRun = Rule{ID: "RW-33", On: beginning, Run: func(c *Context) {
	open := c.state.Control.Open
	if c.config.ObserveOnly || !c.state.Control.Hard() {
		return
	}
	open.Ignored++
	c.haltIgnored(open, c.state.Run, &runevents.HaltIgnored{
		Break: open.ID, Run: c.state.Run, Count: open.Ignored,
		Reason: fmt.Sprintf("The orchestrator began %s after the hard break (%s).", begun(c.Event.Data), open.Trigger),
	})
}}

// beginning lists the types of events that start work.
var beginning = run.Types(runevents.TypeAgentSpawned, runevents.TypeAgentStarted, runevents.TypePhaseStarted, runevents.TypeWaveStarted)

// begun describes the work that an event starts.
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
	return "work"
}

// haltIgnored reports each occurrence, and escalates once per break.
func (r report) haltIgnored(open *settle.Open, subject string, data *runevents.HaltIgnored) {
	r.ConcludeAbout(subject, runevents.TypeHaltIgnored, data)
	if open.Escalated {
		return
	}
	open.Escalated = true
	r.ConcludeAbout(subject, runevents.TypeEscalationRaised, &runevents.EscalationRaised{
		Layer: sessionevents.LayerPolicy, Issue: "halt/ignored", To: runevents.RecipientUser, Run: data.Run, Session: data.Session, Text: data.Reason + " Stop it by hand.",
	})
}
