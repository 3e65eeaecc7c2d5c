// Package offline runs the same machines as the services without NATS: one
// event in, the decisions it leads to out. `scan` is this and an adapter.
package memory

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Stage is one machine with the states of its groups.
type Stage interface {
	// Name is the stage's name.
	Name() string
	// Fold takes one event and returns what the stage derives, in order. A
	// fault says that the event was passed over and why; what the machine has
	// to say of that is in the result.
	Fold(ev events.Event) (out []events.Event, fault string)
}

// DeadLetter is an event that a stage passed over.
type DeadLetter struct {
	Stage   string
	Type    events.Type
	Subject string
	ID      string
	Reason  string
}

// Chain is the stages one after the other.
type Chain struct {
	stages []Stage
	timers timers
	// DeadLetters are the events passed over so far (EV-3: nothing is dropped silently).
	DeadLetters []DeadLetter
	// Folded, when set, hears what each stage makes of each event it reads.
	Folded func(stage string, read events.Event, derived []events.Event, fault string)
}

// NewChain puts stages in a row, the first reads the input.
func NewChain(stages ...Stage) *Chain { return &Chain{stages: stages} }

// Begin says that what follows was recorded apart from what came before, as
// another file was: the time that passes there sets off none of its timers.
func (c *Chain) Begin() { c.timers.part++ }

// Feed takes one input event and returns what the last stage writes for it,
// after what the timers lead to that went off before it (EV-9) and before what
// it tells other groups.
func (c *Chain) Feed(ev events.Event) []events.Event {
	out := c.elapse(ev)
	out = append(out, c.feed(ev)...)
	return append(out, c.elapse(ev)...)
}

// elapse feeds the timers that are due when an event happens.
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

// keep takes the timers that a stage set itself.
func (c *Chain) keep(stage string, derived []events.Event) {
	for _, e := range derived {
		if set, is := e.Data.(*events.TimerSet); is && e.Source == step.Source(stage) {
			c.timers.set(stage, e, set)
		}
	}
}

// poisoner is a machine that says something of an input it could not fold.
type poisoner interface {
	Poisoned(in step.Input, reason string, out *step.Emitter)
}

// guard runs f and turns a panic into an error; its value is not shown, since
// it may quote the input (SW-7).
func guard(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("step panics")
		}
	}()
	return f()
}
