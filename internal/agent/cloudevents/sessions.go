package cloudevents

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// sessions are the runs of the sessions of one log. A run is named where its
// session opens, often nowhere else; session.closed has no field for it. All
// events of a session belong to the group of its run (EV-4).
type sessions map[string]string

// mostSessions bounds what is remembered of one log.
const mostSessions = 1 << 16

// join remembers the run that an event names, and names it where one does not.
func (s sessions) join(e *events.Event) {
	session := ""
	switch d := e.Data.(type) {
	case *sessionevents.SessionOpened:
		session = d.Session
	case *sessionevents.Turn:
		session = d.Session
	case *sessionevents.SessionClosed:
		session = d.Session
	case *sessionevents.InterruptDelivery:
		session = d.Session
	}
	if session == "" {
		return
	}
	if group := e.Group(); group != session {
		if _, known := s[session]; known || len(s) < mostSessions {
			s[session] = group
		}
		return
	}
	if run := s[session]; run != "" && e.PartitionKey == "" {
		e.PartitionKey = run
		if e.Correlation == "" {
			e.Correlation = run
		}
	}
}
