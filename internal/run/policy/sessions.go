package policy

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turnEnded folds the end of a turn: the session belongs to the run and continues
// (RW-33). Most events that the dispatcher reads are turns of running sessions.
var turnEnded = Rule{ID: "RW-33", Folds: true, On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context, data *sessionevents.TurnEvaluated) {
	session := c.member(data.Session, data.Run)
	if session == nil {
		return
	}
	c.state.Activity++
	session.Activity, session.Turn = c.state.Activity, max(session.Turn, data.Turn)
	c.state.reappears(session)
	if o := data.Observed; o != nil && o.Agent != nil && o.Agent.ID != "" && session.Agent == "" {
		session.Agent = o.Agent.ID
	}
})}

// sessionOpened adds a session to the run.
var sessionOpened = Rule{ID: "RW-33", Folds: true, On: run.Types(sessionevents.TypeSessionOpened), Run: run.With(func(c *Context, data *sessionevents.SessionOpened) {
	session := c.member(data.Session, data.Run)
	if session == nil {
		return
	}
	c.state.reappears(session)
	if data.Agent != nil && data.Agent.ID != "" {
		session.Agent = data.Agent.ID
	}
})}

// sessionClosed ends a session's key (EV-8).
var sessionClosed = Rule{ID: "EV-8", Folds: true, On: run.Types(sessionevents.TypeSessionClosed), Run: run.With(func(c *Context, data *sessionevents.SessionClosed) {
	if session := c.state.Sessions[c.sessionID(data.Session)]; session != nil {
		session.Closed = true
		c.state.Changed()
	}
})}

// reappears reopens a session that continues after it had ended.
func (s *State) reappears(session *settle.Session) {
	if session.Ended() {
		session.Closed, session.Left = false, false
		s.Changed()
	}
}

// leaving ends the run and its sessions (EV-8). Later work starts them again.
var leaving = Rule{ID: "EV-8", Folds: true, On: append(beginning, runevents.TypeRunCompleted, runevents.TypeRunStarted, runevents.TypeRunResumed), Run: func(c *Context) {
	s := c.state
	if _, completed := c.Event.Data.(*runevents.RunCompleted); completed {
		for _, session := range s.Sessions {
			session.Left = true
		}
		s.Over = true
		s.Changed()
	} else if s.Over {
		s.Over = false
		s.Changed()
	}
}}

// member returns the session that an event is about, nil if it names none.
func (c *Context) member(id, of string) *settle.Session {
	if of != "" && c.state.Run == "" && of == c.Event.Group() {
		c.state.Begin(of)
	}
	if id = c.sessionID(id); id == "" {
		return nil
	}
	return c.state.Session(id, c.config.Kept.Sessions)
}

func (c *Context) sessionID(id string) string {
	if id == "" {
		return c.Event.Subject
	}
	return id
}
