package run

import (
	"fmt"
	"slices"

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
