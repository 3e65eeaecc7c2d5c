package run

import (
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Approve approves the plan of a run.
type Approve struct {
	cli.Operated
	cli.Author
	cli.Reason
	OfRun string `arg:"" name:"run" help:"Run whose plan to approve, or a session of it, by id or the first letters of it."`
}

// Help gives examples.
func (Approve) Help() string {
	return `Approves a run's plan, which opens the review gate (WP-8). Only an operator can do this.

Examples:
  scaffoldwatch approve nightly --why 'contracts read, ownership is disjoint'`
}

// Run approves the plan.
func (c *Approve) Run(r *cli.Call) error {
	if err := c.Check("approve " + c.OfRun); err != nil {
		return err
	}
	p, err := placeOfRun(c.Connection, r, c.OfRun, "plan to approve")
	if err != nil {
		return err
	}
	return operate(
		c.Operated,
		r,
		act{of: p, what: "approve the plan of " + naming.Brief(p.ID), group: p.ID, event: operator.Approve(c.Name(), c.Why)},
	)
}

// Descope removes an agent from its wave.
type Descope struct {
	cli.Operated
	cli.Author
	cli.Reason
	OfRun  string `arg:"" name:"run" help:"Run, or a session of it, by id or the first letters of it."`
	Wave   int    `required:"" help:"Wave number." placeholder:"N"`
	Letter string `required:"" help:"Letter of the agent." placeholder:"A"`
}

// Help gives examples.
func (Descope) Help() string {
	return `Removes an agent from its wave, so that the merge does not wait for its commits (WP-1).

Examples:
  scaffoldwatch descope nightly --wave 1 --letter C --why 'moved to the next wave'`
}

// Run removes the agent.
func (c *Descope) Run(r *cli.Call) error {
	switch {
	case c.Wave < 1:
		return cli.Usage(fmt.Errorf("--wave %d: waves count from 1", c.Wave))
	case len(c.Letter) != 1 || c.Letter < "A" || c.Letter > "Z":
		return cli.Usage(errors.New("--letter takes one capital letter, such as C"))
	}
	if err := c.Check(fmt.Sprintf("descope %s --wave %d --letter %s", c.OfRun, c.Wave, c.Letter)); err != nil {
		return err
	}
	p, err := placeOfRun(c.Connection, r, c.OfRun, "wave")
	if err != nil {
		return err
	}
	data := &runevents.AgentDescoped{Actor: c.Human(), Wave: c.Wave, Letter: c.Letter, By: c.Name(), Why: c.Why}
	return operate(
		c.Operated,
		r,
		act{
			of:    p,
			what:  "remove agent " + c.Letter + " of " + naming.Brief(p.ID),
			group: p.ID,
			event: events.Event{Type: runevents.TypeAgentDescoped, Data: data},
		},
	)
}
