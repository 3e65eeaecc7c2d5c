package run

import (
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Rule is one rule about runs. C is the Context of its layer.
type Rule[C Contextual] struct {
	// ID is the rule's id in the specification. Several rules share an id that covers
	// several ideas.
	ID string
	// On lists the types of events that the rule reads.
	On []events.Type
	// Folds is set for a rule that only folds, for later rules to use: it does not count
	// as executed.
	Folds bool
	// Run folds the event into the layer's state and adds its conclusions to the
	// context.
	Run func(C)
}

// Contextual is a layer's Context: it embeds [*Context].
type Contextual interface{ base() *Context }

// Rules is a layer's list of rules.
type Rules[C Contextual] struct {
	all []Rule[C]
	on  map[events.Type][]Rule[C]
}

// List returns a list of rules indexed by event type. It panics if a rule is incomplete
// or reads an unknown type, since lists are package variables.
func List[C Contextual](rules ...Rule[C]) *Rules[C] {
	list := &Rules[C]{all: rules, on: map[events.Type][]Rule[C]{}}
	for i, rule := range rules {
		if rule.ID == "" || len(rule.On) == 0 || rule.Run == nil {
			panic(fmt.Sprintf("run: rule %d (%q) needs an id, types and a function", i, rule.ID))
		}
		for _, t := range rule.On {
			if _, known := events.Lookup(t); !known {
				panic(fmt.Sprintf("run: rule %d (%s) reads the unknown type %q", i, rule.ID, t))
			}
			list.on[t] = append(list.on[t], rule)
		}
	}
	return list
}

// All returns the rules in order.
func (r *Rules[C]) All() []Rule[C] { return slices.Clone(r.all) }

// On returns the rules that read a type of event, in order.
func (r *Rules[C]) On(t events.Type) []Rule[C] { return r.on[t] }

// Run applies the rules that read the event, in order.
func (r *Rules[C]) Run(c C) {
	base := c.base()
	for _, rule := range r.on[base.Event.Type] {
		rule.Run(c)
		if !rule.Folds {
			base.Executed(rule.ID)
		}
	}
}

// Types lists types of events.
func Types(types ...events.Type) []events.Type { return types }

// EveryRunEvent lists all types of run events.
func EveryRunEvent() []events.Type {
	var out []events.Type
	for _, d := range events.All() {
		if d.RunEvent {
			out = append(out, d.Type)
		}
	}
	return out
}

// With adapts a function that handles one type of payload to Rule.Run. It ignores
// other payloads.
func With[C Contextual, D any](handle func(C, D)) func(C) {
	return func(c C) {
		if data, is := c.base().Event.Data.(D); is {
			handle(c, data)
		}
	}
}

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
