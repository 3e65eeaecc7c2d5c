// Package interrupt holds the commands that answer interrupts and escalations.
package interrupt

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Ack acknowledges an interrupt or escalation.
type Ack struct {
	cli.Operated
	cli.Author
	Interrupt string `arg:"" optional:"" help:"Interrupt or escalation id, or its first letters; or the run or session in which only one waits. Without one, list what is unanswered."`
	Why       string `help:"A remark to record." placeholder:"TEXT"`
	Session   string `help:"List only those of this session or run; the first letters of its id are enough." placeholder:"ID"`
}

// Help gives examples.
func (Ack) Help() string {
	return `Records that a person saw an interrupt or an escalation of a run. An acknowledged
escalation is not raised again; nothing else changes. Without an id, the command lists
what is unanswered.

Examples:
  scaffoldwatch ack
  scaffoldwatch ack --session payments-webhook
  scaffoldwatch ack 6k3tq2 --why 'looking into it'`
}

// Run acknowledges, or lists.
func (c *Ack) Run(r *cli.Call) error {
	return answer{Operated: c.Operated, act: runevents.ActAck, interrupt: c.Interrupt, session: c.Session, by: c.Name(), why: c.Why}.run(r)
}

// Dismiss marks an interrupt as a false positive.
type Dismiss struct {
	cli.Operated
	cli.Author
	Interrupt string `arg:"" optional:"" help:"Interrupt id, or its first letters; or the run or session in which only one waits. Without one, list unanswered interrupts."`
	Why       string `help:"Why it was wrong (required)." placeholder:"TEXT"`
	Session   string `help:"List only those of this session or run; the first letters of its id are enough." placeholder:"ID"`
}

// Help gives examples.
func (Dismiss) Help() string {
	return `Marks an interrupt as a false positive. The session's budget gets back the unit that the
interrupt cost, once, and the detector's dismiss rate goes up.

Examples:
  scaffoldwatch dismiss
  scaffoldwatch dismiss 6k3tq2 --why 'a sample key of the documentation'`
}

// Run dismisses, or lists.
func (c *Dismiss) Run(r *cli.Call) error {
	if c.Interrupt != "" && c.Why == "" {
		return cli.Usage(fmt.Errorf("say why it was wrong: dismiss %s --why '…'", c.Interrupt))
	}
	return answer{Operated: c.Operated, act: runevents.ActDismiss, interrupt: c.Interrupt, session: c.Session, by: c.Name(), why: c.Why}.run(r)
}

// answer is what acknowledging and dismissing share.
type answer struct {
	cli.Operated
	act                         runevents.Act
	interrupt, session, by, why string
	in                          decisions.Place // that the list is of
}

func (a answer) run(r *cli.Call) error {
	broker, nc, err := a.Open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	if a.session != "" {
		if a.in, err = decisions.FindPlace(r, broker, a.session); err != nil {
			return err
		}
	}
	if a.interrupt == "" {
		return a.list(r, broker)
	}
	to, err := decisions.FindInterrupt(r, broker, a.interrupt)
	if errors.Is(err, decisions.ErrNoInterrupt) {
		return a.other(r, broker, err)
	}
	if err != nil {
		return err
	}
	return a.answer(r, broker, to)
}

// answer answers one interrupt and reads back that it is answered.
func (a answer) answer(r *cli.Call, broker *nats.Broker, to readmodel.Interrupt) error {
	state := map[runevents.Act]sessionevents.DeliveryState{runevents.ActAck: sessionevents.DeliveryAcked, runevents.ActDismiss: sessionevents.DeliveryDismissed}[a.act]
	answered := func(f readmodel.Fact) bool { return f.State == string(state) }
	if i := slices.IndexFunc(to.Facts, answered); i >= 0 {
		_, err := fmt.Fprintf(r.Stdout, "%s was %s by %s already; nothing is changed\n", to.ID, state, terminal.Clean(to.Facts[i].By))
		return err
	}
	if err := a.publish(r, operator.Answer(a.act, to, a.by, a.why)); err != nil {
		return err
	}
	now, err := decisions.FindInterrupt(r, broker, to.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(now.Facts, answered) {
		return fmt.Errorf("%s %s: it was sent and decided, and %s is not %s", a.act, to.ID, to.ID, state)
	}
	return a.tell(r, to, state)
}

// publish sends the answer as the operator and waits until it is decided.
func (a answer) publish(r *cli.Call, e events.Event) error {
	as, err := a.AsOperator(r, string(a.act)+" "+a.interrupt)
	if err != nil {
		return err
	}
	broker, nc, err := as.Open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	if err := operator.Do(r, broker, nc, e); err != nil {
		return fmt.Errorf("%s %s: %w", a.act, a.interrupt, err)
	}
	return nil
}

// tell prints what was done and its effect.
func (a answer) tell(r *cli.Call, to readmodel.Interrupt, state sessionevents.DeliveryState) error {
	fmt.Fprintf(r.Stdout, "%s by %s: %s of turn %d in %s\n  %s\n", state, a.by, to.Detector, to.Turn, to.Session, terminal.Clean(to.Message))
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
	_, err := fmt.Fprintf(r.Stdout, "  it counts as a false positive of %s; %s\n", to.Detector, budget)
	return err
}

// listed is how many interrupts are listed.
const listed = 50

func (a answer) list(r *cli.Call, broker *nats.Broker) error {
	var list []readmodel.Interrupt
	var err error
	if a.in.ID != "" {
		list, err = decisions.OpenInterruptsOf(r, broker, a.in, listed)
	} else {
		list, err = decisions.OpenInterrupts(r, broker, listed)
	}
	if err != nil {
		return err
	}
	if len(list) == 0 {
		if _, err := fmt.Fprintln(r.Stdout, "no interrupt waits for an answer"); err != nil {
			return err
		}
	}
	if err := a.listInterrupts(r, list); err != nil || a.act != runevents.ActAck {
		return err
	}
	return a.listEscalations(r, broker)
}

func (a answer) listInterrupts(r *cli.Call, list []readmodel.Interrupt) error {
	for _, i := range list {
		note := i.Heed
		if note == "" {
			note = "not judged yet"
		}
		if _, err := fmt.Fprintf(r.Stdout, "%s  %s turn %d in %s (%s)\n  %s\n", r.Theme.Strong.Render(i.ID), i.Detector, i.Turn, i.Session, note, terminal.Clean(i.Message)); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(r.Stdout, r.Theme.Faint.Render(fmt.Sprintf("%s ID; its first letters are enough", "scaffoldwatch "+string(a.act))))
	return err
}
