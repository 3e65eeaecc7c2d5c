package run

import (
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Resume lets a halted run or session continue.
type Resume struct {
	cli.Operated
	cli.Author
	cli.Reason
	Of      string `arg:"" optional:"" name:"run|session" help:"Run or session to resume, by its id or the first letters of it."`
	Session string `help:"Session to resume, where a run has its id as well." placeholder:"ID"`
}

// Help gives examples.
func (Resume) Help() string {
	return `Lets a halted, paused or draining run, or session, continue, and prints the state that is
read back afterwards. The counters that led to the break are reset; the history is kept. A
session that was halted with its run continues with it. Only an operator's user may do
this.

Examples:
  scaffoldwatch resume nightly --why 'the flaky test is fixed'
  scaffoldwatch resume csv-export --why 'looked at it' --by ann`
}

// Run resumes the run or session.
func (c *Resume) Run(r *cli.Call) error {
	id := c.Of + c.Session
	switch {
	case (c.Of == "") == (c.Session == ""):
		return cli.Usage(errors.New("name the run or session; `scaffoldwatch runs` and `scaffoldwatch sessions` list them"))
	case c.Why == "":
		return c.Check("resume " + id)
	}
	p, err := place(c.Connection, r, id)
	if err != nil {
		return err
	}
	if c.Session != "" {
		if !p.IsSession {
			return fmt.Errorf("%s is a run: scaffoldwatch resume %s --why '…'", p.ID, p.ID)
		}
		p.Run = false
	}
	if p, err = c.stopped(r, p); err != nil {
		return err
	}
	return operate(c.Operated, r, c.act(p))
}

// act returns the act of resuming a run with its sessions, or one session.
func (c *Resume) act(p decisions.Place) act {
	a := act{of: p, what: fmt.Sprintf("resume %s %s", p.Kind(), naming.Brief(p.ID)), wanted: []runevents.ControlState{runevents.ControlRunning}, orEnded: true}
	if a.group = p.Group; p.Run {
		a.group = p.ID
	}
	a.event = operator.Resume(p, c.Name(), c.Why)
	return a
}

// stopped returns what to resume: if a run and a session share the id, the run if it is stopped, otherwise
// the session. It fails if nothing is stopped.
func (c *Resume) stopped(r *cli.Call, p decisions.Place) (decisions.Place, error) {
	subscriber, err := subscribe(c.Connection, r)
	if err != nil {
		return p, err
	}
	standing := "is already running"
	for _, one := range []decisions.Place{{ID: p.ID, Run: p.Run, Group: p.Group}, {ID: p.ID, IsSession: p.IsSession, Group: p.Group}} {
		if !one.Run && !one.IsSession {
			continue
		}
		state, err := subscriber.Control(r, filterOf(one))
		switch {
		case err != nil:
			return p, err
		case state.State == runevents.ControlUnknown && state.Why != "":
			standing = "is not stopped: " + state.Why
		case state.State != runevents.ControlRunning:
			return one, nil
		}
	}
	return p, fmt.Errorf("%s %s; nothing is changed", naming.Brief(p.ID), standing)
}
