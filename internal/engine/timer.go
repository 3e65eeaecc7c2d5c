package engine

import (
	"cmp"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// TimerSource is the CloudEvents source of timer.expired.
const TimerSource = "/scaffoldwatch/timers"

// TimerExpired returns the event that is recorded when a timer expires, cause
// being the timer.set that carries set (EV-9). It fails if the time it is due
// cannot be read.
func TimerExpired(cause events.Event, set *events.TimerSet) (events.Event, error) {
	due, err := time.Parse(time.RFC3339Nano, set.Due)
	if err != nil {
		return events.Event{}, fmt.Errorf("read when timer %s of %s is due: %w", set.Name, cause.Subject, err)
	}
	return events.Event{
		ID: events.DerivedID("timers", cause.Source, cause.ID, 0), Source: TimerSource, Type: events.TypeTimerExpired,
		Subject: cause.Subject, Time: due.UTC(), CausationID: cause.ID, Correlation: cause.Correlation,
		PartitionKey: cmp.Or(set.Group, cause.Group()), TraceParent: cause.TraceParent,
		Data: &events.TimerExpired{Name: set.Name, Session: set.Session, Run: set.Run, Due: set.Due, Details: set.Details},
	}, nil
}
