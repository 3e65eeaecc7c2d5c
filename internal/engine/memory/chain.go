package memory

import (
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Stage is one machine with the states of its groups.
type Stage interface {
	// Name returns the stage's name.
	Name() string
	// Fold folds one event and returns what the stage derives, in order. A
	// fault says why the event was skipped; the result is then what the machine
	// reports about that.
	Fold(ev events.Event) (out []events.Event, fault string)
}

// DeadLetter is an event that a stage skipped.
type DeadLetter struct {
	Stage   string
	Type    events.Type
	Subject string
	ID      string
	Reason  string
}

// Chain runs stages one after the other.
type Chain struct {
	stages []Stage
	timers timers
	// DeadLetters are the events skipped so far (EV-3: nothing is dropped silently).
	DeadLetters []DeadLetter
	// Folded, if set, is called with what each stage derives from each event it reads.
	Folded func(stage string, read events.Event, derived []events.Event, fault string)
}

// NewChain returns a chain of stages; the first reads the input.
func NewChain(stages ...Stage) *Chain { return &Chain{stages: stages} }

// Begin starts a part of the input that was recorded separately, such as another
// file: time that passes in it does not expire timers of the parts before.
func (c *Chain) Begin() { c.timers.part++ }

// Feed folds one input event and returns what the last stage derives: first from
// the timers that expired before the event (EV-9), then from the event, then
// from the timers it set that are due at once.
func (c *Chain) Feed(ev events.Event) []events.Event {
	out := c.elapse(ev)
	out = append(out, c.feed(ev)...)
	return append(out, c.elapse(ev)...)
}

// End returns what follows at the end of the input from messages between groups: those
// that wait for a time which only another part of the input has reached.
func (c *Chain) End() []events.Event {
	var out []events.Event
	for {
		expired, ok := c.timers.relayed()
		if !ok {
			return out
		}
		out = append(out, c.feed(expired)...)
	}
}

// elapse feeds the timers that are due at the time of an event.
func (c *Chain) elapse(ev events.Event) []events.Event {
	var out []events.Event
	for {
		expired, ok := c.timers.due(ev)
		if !ok {
			return out
		}
		out = append(out, c.feed(expired)...)
	}
}

func (c *Chain) feed(ev events.Event) []events.Event {
	in := []events.Event{ev}
	for _, stage := range c.stages {
		var out []events.Event
		for _, e := range in {
			derived, fault := stage.Fold(e)
			if fault != "" {
				c.DeadLetters = append(c.DeadLetters, DeadLetter{
					Stage: stage.Name(), Type: e.Type, Subject: e.Subject, ID: e.ID, Reason: fault,
				})
			}
			if c.Folded != nil {
				c.Folded(stage.Name(), e, derived, fault)
			}
			c.keep(stage.Name(), derived)
			out = append(out, derived...)
		}
		in = out
	}
	return in
}

// keep adds the timers that a stage set itself.
func (c *Chain) keep(stage string, derived []events.Event) {
	for _, e := range derived {
		if set, is := e.Data.(*events.TimerSet); is && e.Source == step.Source(stage) {
			c.timers.set(stage, e, set)
		}
	}
}

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
