package run

import (
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Resume lets a halted run or session continue.
type Resume struct {
	cli.Operated
	cli.Author
	cli.Reason
	OfRun   string `arg:"" optional:"" name:"run" help:"Run to resume, or a session without a run."`
	Session string `help:"Session to resume." placeholder:"ID"`
}

// Help gives examples.
func (Resume) Help() string {
	return `Lets a halted, paused or draining run continue. The counters that led to the break are
reset; the history is kept. Only an operator's user may do this.

Examples:
  scaffoldwatch resume nightly --why 'the flaky test is fixed'
  scaffoldwatch resume --session csv-export --why 'looked at it' --by ann`
}

// Run says that it may go on.
func (c *Resume) Run(r *cli.Call) error {
	switch {
	case (c.OfRun == "") == (c.Session == ""):
		return cli.Usage(errors.New("name the run, or a session with --session; `scaffoldwatch runs` lists runs"))
	case c.Why == "":
		return c.Check("resume " + c.OfRun + c.sessionFlag())
	}
	if c.Session != "" {
		return c.session(r)
	}
	err := c.halted(r)
	if errors.Is(err, decisions.ErrNoRun) { // a session is its own run (RW-35)
		c.Session = c.OfRun
		if err := c.session(r); !errors.Is(err, decisions.ErrNoSession) {
			return err
		}
	}
	if err != nil {
		return err
	}
	data := &runevents.RunResumed{Actor: c.Human(), By: c.Name(), Why: c.Why}
	return operate(c.Operated, r, c.OfRun, "resume run "+c.OfRun, events.Event{Type: runevents.TypeRunResumed, Data: data})
}

// session resumes one session, of a run or without one.
func (c *Resume) session(r *cli.Call) error {
	group, err := c.groupOf(r)
	if err != nil {
		return err
	}
	data := &runevents.OperatorAct{Act: runevents.ActResume, Session: c.Session, By: c.Name(), Why: c.Why}
	if group != c.Session {
		data.Run = group
	}
	return operate(c.Operated, r, group, "resume session "+c.Session, events.Event{Type: runevents.TypeOperatorAct, Subject: c.Session, Data: data})
}

func (c *Resume) sessionFlag() string {
	if c.Session == "" {
		return ""
	}
	return "--session " + c.Session
}

// halted refuses a run that nobody knows, and one that goes on already.
func (c *Resume) halted(r *cli.Call) error {
	one, err := find(c.Connection, r, c.OfRun)
	if err != nil {
		return err
	}
	if one.State == runevents.ControlRunning {
		return fmt.Errorf("%s is running already; nothing is changed", c.OfRun)
	}
	return nil
}

// groupOf is the run of the session, or the session itself (EV-4).
func (c *Resume) groupOf(r *cli.Call) (string, error) {
	if !events.ValidID(c.Session) {
		return "", cli.Usage(fmt.Errorf("--session %q is not an id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.Session))
	}
	model, closeModel, err := c.FreshModel(r, decisions.SessionFilters(c.Session)...)
	if err != nil {
		return "", err
	}
	defer closeModel()
	s, ok, err := model.Session(r, c.Session)
	if err == nil && !ok {
		err = fmt.Errorf("%w %s; `scaffoldwatch sessions` lists them", decisions.ErrNoSession, c.Session)
	}
	return s.Group, err
}
