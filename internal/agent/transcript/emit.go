package transcript

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// open emits session.opened, once, the parent's first.
func (s *Session) open() {
	if s.opened {
		return
	}
	s.opened = true
	if s.parent != nil && !s.parent.absent() {
		s.parent.open()
	}
	agent := s.agent
	data := &sessionevents.SessionOpened{Session: s.ID(), Agent: &agent, Run: s.run(), Workspace: s.workspace}
	s.a.emit(s.event(sessionevents.TypeSessionOpened, "", hash(agent.Kind, agent.Model, data.Task, data.Workspace), s.time(s.first), data))
}

// absent reports whether the transcript contains nothing of the session itself: it is only named, as the
// parent in a subagent's file.
func (s *Session) absent() bool {
	return s.turns == 0 && len(s.pending) == 0 && s.last.IsZero() && s.workspace == ""
}

// finish completes the open turn and, if closing is set, closes the session. Sessions without a turn that
// were never opened leave no trace.
func (s *Session) finish(closing bool) {
	s.Flush()
	if len(s.next.unsupported) > 0 && s.emitted > 0 {
		s.Begin("", time.Time{})
		s.turn.failed = true // it counts even without a block
		s.Flush()
	}
	s.a.Stats.Unclaimed += len(s.pending)
	if s.opened && closing {
		s.close("end_of_transcript")
	}
}

func (s *Session) close(reason string) {
	s.Flush()
	if !s.opened {
		return
	}
	data := &sessionevents.SessionClosed{Session: s.ID(), Reason: reason}
	s.a.emit(s.event(sessionevents.TypeSessionClosed, "", hash(reason, fmt.Sprint(s.turns)), s.time(s.last), data))
}

func (s *Session) event(typ events.Type, turnID, content string, at time.Time, data any) events.Event {
	source := SourceOf(s.a.name)
	e := events.Event{
		ID:     events.DerivedID("adapter", source, string(typ)+"\x00"+s.ID()+"\x00"+turnID+"\x00"+content, 0),
		Source: source, Type: typ, Subject: s.ID(), Time: at.UTC(), Data: data,
	}
	if run := s.run(); run != "" {
		e.Correlation, e.PartitionKey = run, run
	}
	return e
}

// time returns the time of an event: its own, else the latest one seen, else a tick.
func (s *Session) time(at time.Time) time.Time {
	switch {
	case !at.IsZero():
		return at
	case !s.last.IsZero():
		return s.last
	default:
		return s.a.tick()
	}
}
