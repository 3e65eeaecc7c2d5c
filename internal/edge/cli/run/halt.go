package run

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Halt stops a run or session by hand (RW-33).
type Halt struct {
	cli.Operated
	cli.Author
	cli.Reason
	Of string `arg:"" name:"run|session" help:"Run or session to halt."`
}

// Help gives examples.
func (Halt) Help() string {
	return `Halts a run with its sessions, or one session, at once: no tool runs and every gate is
closed until a person resumes it. The agent is asked to end its turn.

Examples:
  scaffoldwatch halt nightly --why 'it edits the wrong repository'
  scaffoldwatch halt csv-export --why 'it deletes test data' --by ann`
}

// Run halts what is named.
func (c *Halt) Run(r *cli.Call) error {
	if !events.ValidID(c.Of) {
		return cli.Usage(fmt.Errorf("%q is not an id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.Of))
	}
	if err := c.Check("halt " + c.Of); err != nil {
		return err
	}
	act, group, err := c.act(r)
	if err != nil {
		return err
	}
	e := events.Event{Type: runevents.TypeOperatorAct, Subject: c.Of, Data: act}
	if err := operate(c.Operated, r, group, "halt "+c.Of, e); err != nil {
		return err
	}
	if act.Session == "" || act.Run == "" {
		return nil // the verdict names the command
	}
	_, err = fmt.Fprintf(r.Stdout, "to let the session go on: scaffoldwatch resume --session %s --why '…'\n", act.Session)
	return err
}

// act is the halt of a run or, where no run has the id, of a session; group is
// where it is decided (EV-4).
func (c *Halt) act(r *cli.Call) (act *runevents.OperatorAct, group string, err error) {
	act = &runevents.OperatorAct{Act: runevents.ActHalt, By: c.Name(), Why: c.Why}
	model, closeModel, err := c.FreshModel(r, decisions.SessionFilters(c.Of)...)
	if err != nil {
		return nil, "", err
	}
	defer closeModel()
	session, isSession, err := model.Session(r, c.Of)
	if err != nil {
		return nil, "", err
	}
	if isSession {
		act.Session = c.Of
		if session.Group != c.Of {
			act.Run = session.Group
		}
		return act, session.Group, nil
	}
	if _, err := find(c.Connection, r, c.Of); err != nil {
		return nil, "", fmt.Errorf("nothing is known of a run or session %s; `scaffoldwatch runs` and `scaffoldwatch sessions` list them", c.Of)
	}
	act.Run = c.Of
	return act, c.Of, nil
}
