package verdict

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Now is the moment that timers count from: when the broker recorded the input,
// or, offline, when its publisher says it happened (EV-9). Only timers may
// depend on it; everything else goes by the event's time.
func Now(in step.Input) time.Time {
	if !in.Arrived.IsZero() {
		return in.Arrived
	}
	return in.Event.Time
}

// At writes when a timer is due.
func At(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// GroupOf is the group where all runs of a project, workspace or the like meet:
// kind is a short word, name what it is called. Different names give different
// groups, whatever characters they have.
func GroupOf(kind, name string) string {
	return kind + "-" + events.DerivedID("group", kind, name, 0)
}
