package engine

import (
	"cmp"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// TimerSource is the CloudEvents source of timer.expired.
const TimerSource = "/scaffoldwatch/timers"

// TimerExpired returns the event that is recorded when a timer expires, cause
// being the timer.set that carries set (EV-9).
func TimerExpired(cause events.Event, set *events.TimerSet) events.Event {
	return events.Event{
		ID: events.DerivedID("timers", cause.Source, cause.ID, 0), Source: TimerSource, Type: events.TypeTimerExpired,
		Subject: cause.Subject, Time: set.Due.UTC(), CausationID: cause.ID, Correlation: cause.Correlation,
		PartitionKey: cmp.Or(set.Group, cause.Group()), TraceParent: cause.TraceParent,
		Data: &events.TimerExpired{Name: set.Name, Session: set.Session, Run: set.Run, Due: set.Due, Details: set.Details},
	}
}
