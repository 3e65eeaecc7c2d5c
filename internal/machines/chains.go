package machines

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Chains holds the chains of one `scan`: the default one, and one for each set of rules
// that a workspace brings. A group stays with the chain of its first event.
type Chains struct {
	options Options
	usual   *memory.Chain
	byHash  map[string]*memory.Chain
	list    []*memory.Chain
	groups  map[string]*memory.Chain
}

// Chains returns the chains of a scan, with the default chain of the core built from
// options.
func (c *Core) Chains(options Options) *Chains {
	usual := c.Chain()
	return &Chains{
		options: options, usual: usual, byHash: map[string]*memory.Chain{}, list: []*memory.Chain{usual}, groups: map[string]*memory.Chain{},
	}
}

// Choose assigns a group the chain of a workspace's rules; nothing of the group may have
// been fed yet. It fails if the rules are invalid.
func (c *Chains) Choose(group string, set *rules.Set) error {
	if set == nil || c.groups[group] != nil {
		return nil
	}
	chain := c.byHash[set.Hash()]
	if chain == nil {
		options := c.options
		options.Rules = set
		core, err := New(options)
		if err != nil {
			return fmt.Errorf("the workspace's rules: %w", err)
		}
		chain = core.Chain()
		c.byHash[set.Hash()] = chain
		c.list = append(c.list, chain)
	}
	c.groups[group] = chain
	return nil
}

// Feed passes a prepared event to the chain of its group.
func (c *Chains) Feed(e events.Event) []events.Event {
	chain := c.groups[e.Group()]
	if chain == nil {
		chain = c.usual
		c.groups[e.Group()] = chain
	}
	return chain.Feed(e)
}

// Begin marks the beginning of another file.
func (c *Chains) Begin() {
	for _, chain := range c.list {
		chain.Begin()
	}
}

// End returns what follows at the end of all input.
func (c *Chains) End() []events.Event {
	var out []events.Event
	for _, chain := range c.list {
		out = append(out, chain.End()...)
	}
	return out
}

// DeadLetters returns the inputs that the chains skipped.
func (c *Chains) DeadLetters() []memory.DeadLetter {
	var out []memory.DeadLetter
	for _, chain := range c.list {
		out = append(out, chain.DeadLetters...)
	}
	return out
}
