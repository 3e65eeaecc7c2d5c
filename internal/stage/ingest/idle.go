package ingest

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// idleTimer ends a session that falls silent (DP-30).
const idleTimer = "session.idle"

// watchIdle keeps one timer per session. It counts from the broker's recorded time, not
// the publisher's: an old transcript published today is not idle, and a replay sees the
// same recorded times (EV-9).
func (m *Machine) watchIdle(session *Session, turn *sessionevents.Turn, in step.Input, out *step.Emitter) {
	if m.options.IdleTimeout <= 0 || in.Arrived.IsZero() || !session.TimerDue.IsZero() {
		return
	}
	session.setIdle(turn.Session, turn.Run, in.Arrived.Add(m.options.IdleTimeout), out)
}

func (s *Session) setIdle(id, run string, due time.Time, out *step.Emitter) {
	s.TimerDue = due
	out.Emit(events.TypeTimerSet, id, &events.TimerSet{
		Name: idleTimer, Session: id, Run: run, Due: due.UTC(),
	})
}

// idle closes the session or, if it has continued since, waits for the remaining time.
func (m *Machine) idle(state *State, session *Session, in step.Input, timer *events.TimerExpired, out *step.Emitter) {
	if session.TimerDue.IsZero() || in.Arrived.Before(session.TimerDue) {
		return // not the current timer of this session
	}
	session.TimerDue = time.Time{}
	if session.Closed {
		return
	}
	due := session.LastSeen.Add(m.options.IdleTimeout)
	if in.Arrived.Before(due) {
		session.setIdle(timer.Session, timer.Run, due, out)
		return
	}
	m.flush(state, session, timer.Session, in, out)
	session.Closed = true
	out.Emit(sessionevents.TypeSessionClosed, timer.Session, &sessionevents.SessionClosed{Session: timer.Session, Reason: "idle_timeout"})
}
