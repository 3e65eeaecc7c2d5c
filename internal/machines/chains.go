// Package machines builds the three machines from rule data and chains them without NATS,
// for `scan` and for tests. A service builds its own with the packages below.
package machines

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/evaluator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/dispatch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	intake "github.com/scaffoldwatch/scaffoldwatch/internal/stage/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
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

// Options configure the machines.
type Options = deployment.Options

// Core is the three machines, built from one set of rules.
type Core struct {
	Identity step.Identity
	// Redactor removes secrets from input that is shown outside the machines (SW-7).
	Redactor *redact.Redactor
	Ingest   *intake.Machine
	Evaluate *evaluate.Machine
	Dispatch *dispatch.Machine
	// Preflight answers harnesses that ask before a tool runs (DP-24).
	Preflight *preflight.Checker
}

// New builds the machines. Errors name the file and line of the rule data.
func New(o Options) (*Core, error) {
	c := &Core{Identity: o.Identity()}
	var err error
	if c.Evaluate, err = evaluator.New(o); err != nil {
		return nil, err
	}
	parts, err := ingest.New(o, c.Evaluate.Suite())
	if err != nil {
		return nil, err
	}
	c.Ingest, c.Redactor, c.Preflight = parts.Machine, parts.Redactor, parts.Preflight
	if c.Dispatch, err = dispatch.New(o.Rules); err != nil {
		return nil, fmt.Errorf("start the dispatcher: %w", err)
	}
	return c, nil
}

// Chain returns the three machines chained without NATS.
func (c *Core) Chain() *memory.Chain {
	return memory.NewChain(
		memory.NewStage(c.Ingest, c.Identity),
		memory.NewStage(c.Evaluate, c.Identity),
		memory.NewStage(c.Dispatch, c.Identity))
}
