package run

import (
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// personSource is the CloudEvents source of what a person does at the command line.
const personSource = "/scaffoldwatch/operator"

// decisionPatience is how long a command waits for the outcome of an answer.
const decisionPatience = 10 * time.Second

// find reads the state of a run.
func find(c cli.Connection, r *cli.Call, id string) (runlist.Run, error) {
	broker, nc, err := c.Open(r)
	if err != nil {
		return runlist.Run{}, err
	}
	defer nc.Close()
	return decisions.RunOf(r, broker, id)
}

// operate publishes a person's decision about a run with the operator's
// credential (EV-10), and prints the outcome. Act describes it in the question
// whether the person means it.
func operate(c cli.Operated, r *cli.Call, id, act string, e events.Event) error {
	as, err := c.AsOperator(r, act)
	if err != nil {
		return err
	}
	run, done, err := as.OpenRunAs(r, id, personSource, decisionPatience)
	if err != nil {
		return err
	}
	defer done()
	v, err := run.DoEvent(r, e)
	if err != nil {
		if !errors.Is(err, client.ErrNoVerdict) {
			err = fmt.Errorf("%w (it takes the operator's user, nats.user)", err)
		}
		return err
	}
	if err := printVerdict(r, id, v, "text"); err != nil {
		return err
	}
	if refused := v.Refused(); refused != nil {
		return printGate(r.Stdout, id, *refused)
	}
	return nil
}
