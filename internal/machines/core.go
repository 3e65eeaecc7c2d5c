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
)

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
