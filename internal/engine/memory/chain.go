package memory

import (
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
