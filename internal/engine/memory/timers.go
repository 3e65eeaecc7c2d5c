package memory

import (
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// timers are those that stages set, where no broker keeps them: they go off when
// the events themselves say that their time has come (EV-9). A log that holds
// timers on record has their effects twice otherwise, so those that are recorded
// replace them: they have the same ids, and a machine knows an id it has seen.
type timers struct {
	waiting []timer // by time, then by the order in which they were set
	part    int     // of the input, see Chain.Begin
}

type timer struct {
	stage, name string
	part        int
	due         time.Time
	event       events.Event
}

// maxLate is how long after its time a timer may go off: a wrong date in a log
// is no passage of time.
const maxLate = 366 * 24 * time.Hour

// set notes what a stage asks for; one of the same name, group and subject
// replaces it, but for what one group tells another.
func (t *timers) set(stage string, cause events.Event, data *events.TimerSet) {
	due, err := time.Parse(time.RFC3339Nano, data.Due)
	if err != nil {
		return
	}
	next := timer{stage: stage, name: data.Name, part: t.part, due: due, event: expired(cause, data, due)}
	t.waiting = slices.DeleteFunc(t.waiting, func(o timer) bool {
		return !data.News(cause) && o.stage == stage && o.name == next.name && o.event.PartitionKey == next.event.PartitionKey && o.event.Subject == next.event.Subject
	})
	at, _ := slices.BinarySearchFunc(t.waiting, due, func(o timer, due time.Time) int {
		if o.due.After(due) {
			return 1
		}
		return -1
	})
	t.waiting = slices.Insert(t.waiting, at, next)
}

// expired is the event that the broker would record.
func expired(cause events.Event, data *events.TimerSet, due time.Time) events.Event {
	group := data.Group
	if group == "" {
		group = cause.Group()
	}
	return events.Event{
		ID: events.DerivedID("timers", cause.Source, cause.ID, 0), Source: "/scaffoldwatch/timers", Type: events.TypeTimerExpired,
		Subject: cause.Subject, Time: due.UTC(), CausationID: cause.ID, Correlation: cause.Correlation, PartitionKey: group,
		Data: &events.TimerExpired{Name: data.Name, Session: data.Session, Run: data.Run, Due: data.Due, Details: data.Details},
	}
}

// due takes the next timer that has gone off when ev happens: one of the same
// part of the input, or of its own group.
func (t *timers) due(ev events.Event) (events.Event, bool) {
	i := slices.IndexFunc(t.waiting, func(o timer) bool {
		late := ev.Time.Sub(o.due)
		return late >= 0 && late <= maxLate && (o.part == t.part || o.event.Group() == ev.Group())
	})
	if i < 0 {
		return events.Event{}, false
	}
	next := t.waiting[i].event
	t.waiting = slices.Delete(t.waiting, i, i+1)
	return next, true
}
