package run

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Halt stops a run or session manually (RW-33).
type Halt struct {
	cli.Operated
	cli.Author
	cli.Reason
	Of string `arg:"" name:"run|session" help:"Run or session to halt, by its id or the first letters of it."`
}

// Help gives examples.
func (Halt) Help() string {
	return `Halts a run with its sessions, or one session, at once: no tool runs and every gate is
closed until a person resumes it. The agent is asked to end its turn. The state that is printed is read back afterwards.

Examples:
  scaffoldwatch halt nightly --why 'it edits the wrong repository'
  scaffoldwatch halt csv-export --why 'it deletes test data' --by ann`
}

// Run halts the named run or session.
func (c *Halt) Run(r *cli.Call) error {
	if err := c.Check("halt " + c.Of); err != nil {
		return err
	}
	p, err := place(c.Connection, r, c.Of)
	if err != nil {
		return err
	}
	if p.Run {
		p.IsSession = false // its state is read back as the run's
	}
	subscriber, err := subscribe(c.Connection, r)
	if err != nil {
		return err
	}
	state, err := subscriber.Control(r, filterOf(p))
	switch {
	case err != nil:
		return err
	case state.State == runevents.ControlUnknown && state.Why != "":
		return fmt.Errorf("%s cannot be halted: %s; nothing is changed", naming.Brief(p.ID), state.Why)
	}
	return operate(c.Operated, r, act{
		of: p, what: fmt.Sprintf("halt %s %s", p.Kind(), naming.Brief(p.ID)), group: p.Group,
		event: operator.Halt(p, c.Name(), c.Why), wanted: []runevents.ControlState{runevents.ControlHalted},
	})
}
