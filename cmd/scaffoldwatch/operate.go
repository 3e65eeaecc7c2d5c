package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// personSource is the CloudEvents source of what a person does at the command line.
const personSource = "/scaffoldwatch/operator"

// decisionPatience is how long a person waits to hear what came of an answer.
const decisionPatience = 10 * time.Second

// reason is why a person does something; it stands in the record.
type reason struct {
	Why string `help:"Reason, which is recorded." placeholder:"TEXT"`
}

func (w reason) check(example string) error {
	if w.Why == "" {
		return usageError{fmt.Errorf("say why, it stands in the record: %s --why '…'", example)}
	}
	return nil
}

// human is the actor of what a person does.
func (a author) human() runevents.Actor {
	return runevents.Actor{Kind: runevents.ActorHuman, ID: a.name()}
}

// find reads how a run stands.
func (c connection) find(r *run, id string) (runlist.Run, error) {
	broker, nc, err := c.open(r)
	if err != nil {
		return runlist.Run{}, err
	}
	defer nc.Close()
	return decisions.RunOf(r, broker, id)
}

// operate says what a person decided about a run, with the operator's
// credential (EV-10), and prints what comes of it.
func (c connection) operate(r *run, id string, e events.Event) error {
	run, done, err := c.openRunAs(r, id, personSource, decisionPatience)
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
		return printGate(r.out, *refused)
	}
	return nil
}
