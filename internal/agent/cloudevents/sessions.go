package cloudevents

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// sessions tracks the runs of the sessions of one log. A run is named where its session opens, often
// nowhere else; session.closed has no field for it. All events of a session belong to the group of its run
// (EV-4).
type sessions struct {
	runs map[string]string // by session
	run  string            // for sessions whose run the log does not name; may be empty
}

// mostSessions limits what is remembered of one log.
const mostSessions = 1 << 16

// join remembers the run that an event names, and adds it to events that do not name one.
func (s sessions) join(e *events.Event) {
	session := ""
	var named *string // the field that names the run
	switch d := e.Data.(type) {
	case *sessionevents.SessionOpened:
		session, named = d.Session, &d.Run
	case *sessionevents.Turn:
		session, named = d.Session, &d.Run
	case *sessionevents.SessionClosed:
		session = d.Session
	case *sessionevents.InterruptDelivery:
		session = d.Session
	}
	if session == "" {
		return
	}
	if group := e.Group(); group != session {
		if _, known := s.runs[session]; known || len(s.runs) < mostSessions {
			s.runs[session] = group
		}
		return
	}
	run, known := s.runs[session]
	if !known {
		run = s.run
	}
	if run == "" || e.PartitionKey != "" {
		return
	}
	e.PartitionKey = run
	if e.Correlation == "" {
		e.Correlation = run
	}
	if !known && named != nil {
		*named = run
	}
}
