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
	// Proven is set if the event has the credential that its type requires; without it
	// the content is only a claim (EV-10).
	Proven bool
	// Question is the question that the run is waiting for, set by the intent layer; nil
	// if there is none (PL-33).
	Question *Question
	// Asking reports whether a question of the run is open, with or without a default
	// (PL-36).
	Asking bool

	conclusions []Conclusion
}

// Question is a clarification without a default that a run waits for (PL-33).
type Question struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// NewContext returns the context of an event.
func NewContext(in step.Input) *Context {
	c := &Context{Input: in}
	if described, known := events.Lookup(in.Event.Type); known {
		c.RunEvent = described.RunEvent
		c.Proven = described.Role != events.RoleOperator && described.Role != events.RoleInfra || in.Event.Credential == described.Role
	}
	return c
}

func (c *Context) base() *Context { return c }

// ByOperator reports whether the event has an operator's credential.
func (c *Context) ByOperator() bool { return c.Event.Credential == events.RoleOperator }

// Executed marks that a rule ran. It does nothing: conformance replaces it by a
// function that records the rule.
func (c *Context) Executed(rule string) {}

// Now returns the time that timers count from: when the broker recorded the input
// or, offline, when its publisher says it happened (EV-9). Only timers may depend
// on it; everything else uses the time of the event.
func (c *Context) Now() time.Time {
	if !c.Arrived.IsZero() {
		return c.Arrived
	}
	return c.Event.Time
}

// Names of relays from a run to a group that it shares with others, in which a warning or a
// signal about the run can be concluded (RW-15, PL-10).
const (
	RelayProject   = "shadow.project"
	RelayWorkspace = "pipeline.workspace"
)

// GroupOf returns the group that all runs of one project, workspace or the like
// share. Kind is a short word and name identifies the thing; different names give
// different groups, whatever characters they contain.
func GroupOf(kind, name string) string {
	return kind + "-" + events.DerivedID("group", kind, name, 0)
}
