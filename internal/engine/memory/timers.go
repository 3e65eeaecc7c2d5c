package memory

import (
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// timers holds the timers that stages set. Without a broker they expire when the
// time of the events passes theirs (EV-9). If the input itself holds an expired
// timer, it has the same id, and a machine ignores an id it has seen.
type timers struct {
	waiting []timer   // by time, then by the order in which they were set
	latest  time.Time // of what was read
	part    int       // of the input, see Chain.Begin
}

type timer struct {
	stage, name string
	part        int
	due         time.Time
	event       events.Event
	relay       bool // to another group
}

// maxLate is how long after its time a timer may expire: a wrong date in a log does not mean
// that time has passed.
const maxLate = 366 * 24 * time.Hour

// set adds a timer. It replaces one of the same name, group and subject, except
// for news from one group to another.
func (t *timers) set(stage string, cause events.Event, data *events.TimerSet) {
	expired := engine.TimerExpired(cause, data)
	due := expired.Time
	next := timer{stage: stage, name: data.Name, part: t.part, due: due, event: expired, relay: data.Group != ""}
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

// due removes and returns the next timer that has expired when ev happens: one of
// the same part of the input, or of its own group.
func (t *timers) due(ev events.Event) (events.Event, bool) {
	if ev.Time.After(t.latest) {
		t.latest = ev.Time
	}
	return t.take(func(o timer) bool {
		late := ev.Time.Sub(o.due)
		return late >= 0 && late <= maxLate && (o.part == t.part || o.event.Group() == ev.Group())
	})
}

// relayed removes and returns the next message to another group whose time has passed in
// any part of the input.
func (t *timers) relayed() (events.Event, bool) {
	return t.take(func(o timer) bool { return o.relay && !o.due.After(t.latest) })
}

func (t *timers) take(which func(timer) bool) (events.Event, bool) {
	i := slices.IndexFunc(t.waiting, which)
	if i < 0 {
		return events.Event{}, false
	}
	next := t.waiting[i].event
	t.waiting = slices.Delete(t.waiting, i, i+1)
	return next, true
}
