package main

import (
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

type approveCommand struct {
	connection
	author
	reason
	OfRun string `arg:"" name:"run" help:"Run whose plan to approve."`
}

// Help gives examples.
func (approveCommand) Help() string {
	return `Approves a run's plan, which opens the review gate (WP-8). Only an operator can do this.

Examples:
  scaffoldwatch approve nightly --why 'contracts read, ownership is disjoint'`
}

// Run approves.
func (c *approveCommand) Run(r *run) error {
	if err := c.check("approve " + c.OfRun); err != nil {
		return err
	}
	if _, err := c.find(r, c.OfRun); err != nil {
		return err
	}
	return c.operate(r, c.OfRun, events.Event{Type: runevents.TypePlanApproved, Data: &runevents.PlanApproved{Actor: c.human(), By: c.name(), Why: c.Why}})
}

type descopeCommand struct {
	connection
	author
	reason
	OfRun  string `arg:"" name:"run" help:"Run id."`
	Wave   int    `required:"" help:"Wave number." placeholder:"N"`
	Letter string `required:"" help:"Letter of the agent." placeholder:"A"`
}

// Help gives examples.
func (descopeCommand) Help() string {
	return `Removes an agent from its wave, so that the merge does not wait for its commits (WP-1).

Examples:
  scaffoldwatch descope nightly --wave 1 --letter C --why 'moved to the next wave'`
}

// Run takes the agent out.
func (c *descopeCommand) Run(r *run) error {
	switch {
	case c.Wave < 1:
		return usageError{fmt.Errorf("--wave %d: waves count from 1", c.Wave)}
	case len(c.Letter) != 1 || c.Letter < "A" || c.Letter > "Z":
		return usageError{errors.New("--letter takes one capital letter, such as C")}
	}
	if err := c.check(fmt.Sprintf("descope %s --wave %d --letter %s", c.OfRun, c.Wave, c.Letter)); err != nil {
		return err
	}
	if _, err := c.find(r, c.OfRun); err != nil {
		return err
	}
	data := &runevents.AgentDescoped{Actor: c.human(), Wave: c.Wave, Letter: c.Letter, By: c.name(), Why: c.Why}
	return c.operate(r, c.OfRun, events.Event{Type: runevents.TypeAgentDescoped, Data: data})
}
