// Package offline runs the same machines as the services without NATS: one
// event in, the decisions it leads to out. `scan` is this and an adapter.
package offline

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
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
	// DeadLetters are the events passed over so far (EV-3: nothing is dropped silently).
	DeadLetters []DeadLetter
}

// NewChain puts stages in a row, the first reads the input.
func NewChain(stages ...Stage) *Chain { return &Chain{stages: stages} }

// Feed takes one input event and returns what the last stage writes for it.
func (c *Chain) Feed(ev events.Event) []events.Event {
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
			out = append(out, derived...)
		}
		in = out
	}
	return in
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
