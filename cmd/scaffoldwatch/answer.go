package main

import (
	"errors"
	"fmt"
	"os/user"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// author is who answers; it stands in the record.
type author struct {
	By string `help:"Your name in the record; defaults to your user name." placeholder:"NAME"`
}

// name is the author, or the user of this process.
func (a author) name() string {
	if a.By != "" {
		return a.By
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "operator"
}

type ackCommand struct {
	connection
	author
	Interrupt string `arg:"" optional:"" help:"Interrupt or escalation id, or its first letters. Without one, list what is unanswered."`
	Why       string `help:"A remark to record." placeholder:"TEXT"`
	Session   string `help:"List only interrupts of this session." placeholder:"ID"`
}

// Help gives examples.
func (ackCommand) Help() string {
	return `Records that a person saw an interrupt or an escalation of a run. An acknowledged
escalation is not raised again; nothing else changes. Without an id, the command lists
what is unanswered.

Examples:
  scaffoldwatch ack
  scaffoldwatch ack --session payments-webhook
  scaffoldwatch ack 6k3tq2 --why 'looking into it'`
}

// Run acknowledges, or lists.
func (c *ackCommand) Run(r *run) error {
	return answer{connection: c.connection, act: runevents.ActAck, interrupt: c.Interrupt, session: c.Session, by: c.name(), why: c.Why}.run(r)
}

type dismissCommand struct {
	connection
	author
	Interrupt string `arg:"" optional:"" help:"Interrupt id, or its first letters. Without one, list unanswered interrupts."`
	Why       string `help:"Why it was wrong (required)." placeholder:"TEXT"`
	Session   string `help:"List only interrupts of this session." placeholder:"ID"`
}

// Help gives examples.
func (dismissCommand) Help() string {
	return `Marks an interrupt as a false positive. The session's budget gets back the unit that the
interrupt cost, once, and the detector's dismiss rate goes up.

Examples:
  scaffoldwatch dismiss
  scaffoldwatch dismiss 6k3tq2 --why 'a sample key of the documentation'`
}

// Run dismisses, or lists.
func (c *dismissCommand) Run(r *run) error {
	if c.Interrupt != "" && c.Why == "" {
		return usageError{fmt.Errorf("say why it was wrong: dismiss %s --why '…'", c.Interrupt)}
	}
	return answer{connection: c.connection, act: runevents.ActDismiss, interrupt: c.Interrupt, session: c.Session, by: c.name(), why: c.Why}.run(r)
}

// answer is what both do.
type answer struct {
	connection
	act, interrupt, session, by, why string
}

func (a answer) run(r *run) error {
	if a.session != "" && !events.ValidID(a.session) {
		return usageError{fmt.Errorf("%q is no session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", a.session)}
	}
	broker, nc, err := a.open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	if a.interrupt == "" {
		return a.list(r, broker)
	}
	to, err := decisions.FindInterrupt(r, broker, a.interrupt)
	if errors.Is(err, decisions.ErrNoInterrupt) && a.act == runevents.ActAck {
		return a.escalation(r, broker, nc, err)
	}
	if err != nil {
		return err
	}
	state := map[string]sessionevents.DeliveryState{runevents.ActAck: sessionevents.DeliveryAcked, runevents.ActDismiss: sessionevents.DeliveryDismissed}[a.act]
	if i := slices.IndexFunc(to.Facts, func(f readmodel.Fact) bool { return f.State == string(state) }); i >= 0 {
		_, err := fmt.Fprintf(r.out, "%s was %s by %s already; nothing is changed\n", to.ID, state, terminal.Clean(to.Facts[i].By))
		return err
	}
	if err := operator.Publish(r, nc, operator.Answer(a.act, to, a.by, a.why)); err != nil {
		return err
	}
	return a.tell(r, to, state)
}

// tell says what was done and what comes of it.
func (a answer) tell(r *run, to readmodel.Interrupt, state sessionevents.DeliveryState) error {
	fmt.Fprintf(r.out, "%s by %s: %s of turn %d in %s\n  %s\n", state, a.by, to.Detector, to.Turn, to.Session, terminal.Clean(to.Message))
	if state != sessionevents.DeliveryDismissed {
		return nil
	}
	budget := "it took no unit of the budget, so none comes back"
	refunded := slices.ContainsFunc(to.Facts, func(f readmodel.Fact) bool { return f.State == string(sessionevents.DeliveryUnsupported) })
	switch {
	case to.Charged && refunded:
		budget = "its unit of the budget came back before"
	case to.Charged:
		budget = "its unit of the budget comes back"
	}
	_, err := fmt.Fprintf(r.out, "  it counts as a false positive of %s; %s\n", to.Detector, budget)
	return err
}

// listed is how many interrupts are listed.
const listed = 50

func (a answer) list(r *run, broker *nats.Broker) error {
	list, err := decisions.OpenInterrupts(r, broker, a.session, listed)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		if _, err := fmt.Fprintln(r.out, "no interrupt waits for an answer"); err != nil {
			return err
		}
	}
	if err := a.listInterrupts(r, list); err != nil || a.act != runevents.ActAck {
		return err
	}
	return a.listEscalations(r, broker)
}

func (a answer) listInterrupts(r *run, list []readmodel.Interrupt) error {
	for _, i := range list {
		note := i.Heed
		if note == "" {
			note = "not judged yet"
		}
		if _, err := fmt.Fprintf(r.out, "%s  %s turn %d in %s (%s)\n  %s\n", r.theme.Strong.Render(i.ID), i.Detector, i.Turn, i.Session, note, terminal.Clean(i.Message)); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(r.out, r.theme.Faint.Render(fmt.Sprintf("%s ID; its first letters are enough", "scaffoldwatch "+a.act)))
	return err
}
