package run

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Context is one event on its way through the rules about runs, with what they
// have concluded so far.
type Context struct {
	step.Input
	// RunEvent is set for events of the run itself; their subject is the run.
	RunEvent bool
	// Proven is set where the event has the credential that its type needs;
	// without it the event only claims what it says (EV-10).
	Proven bool
	// Question is what the run waits for once the layer of intent has run, nil
	// for nothing (PL-33).
	Question *Question
	// Asking is set where people have a question of the run to answer, with or
	// without a default (PL-36).
	Asking bool

	conclusions []Conclusion
	observer    Observer
}

// Question is a clarification without a default that a run waits for (PL-33).
type Question struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// NewContext returns the context of an event; observer may be nil.
func NewContext(in step.Input, observer Observer) *Context {
	c := &Context{Input: in, observer: observer}
	if described, known := events.Lookup(in.Event.Type); known {
		c.RunEvent = described.RunEvent
		c.Proven = described.Role != events.RoleOperator && described.Role != events.RoleInfra || in.Event.Credential == described.Role
	}
	return c
}

func (c *Context) base() *Context { return c }

// ByOperator reports whether the event has an operator's credential.
func (c *Context) ByOperator() bool { return c.Event.Credential == events.RoleOperator }

// Executed reports a rule that ran to the observer.
func (c *Context) Executed(rule string, concluded bool) {
	if c.observer != nil {
		c.observer(rule, concluded)
	}
}

// Now is the moment that timers count from: when the broker recorded the input,
// or, offline, when its publisher says it happened (EV-9). Only timers may
// depend on it; everything else goes by the event's time.
func (c *Context) Now() time.Time {
	if !c.Arrived.IsZero() {
		return c.Arrived
	}
	return c.Event.Time
}

// GroupOf is the group where all runs of a project, workspace or the like meet:
// kind is a short word, name what it is called. Different names give different
// groups, whatever characters they have.
func GroupOf(kind, name string) string {
	return kind + "-" + events.DerivedID("group", kind, name, 0)
}
