package drive

import (
	"context"
	"errors"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Ledger passes events to a sink and remembers which sessions they opened, for a driver that must close
// them. The zero value is empty.
type Ledger struct {
	open []*sessionevents.SessionOpened
}

// Hand passes the events to the sink in order.
func (l *Ledger) Hand(ctx context.Context, sink Sink, list []events.Event) error {
	for _, e := range list {
		if opened, ok := e.Data.(*sessionevents.SessionOpened); ok {
			l.open = append(l.open, opened)
		}
		if err := sink.Event(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the sessions that were opened, subagents first (DP-30).
func (l *Ledger) Close(ctx context.Context, sink Sink, reason string) error {
	var problems []error
	for i := len(l.open) - 1; i >= 0; i-- {
		s := l.open[i]
		e := events.Event{Type: sessionevents.TypeSessionClosed, Subject: s.Session, Data: &sessionevents.SessionClosed{Session: s.Session, Reason: reason}}
		if s.Run != "" {
			e.Correlation, e.PartitionKey = s.Run, s.Run
		}
		problems = append(problems, sink.Event(ctx, e))
	}
	l.open = nil
	return errors.Join(problems...)
}
