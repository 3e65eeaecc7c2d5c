// Package interrupt holds the commands that answer interrupts and escalations.
package interrupt

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/mute"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Ack acknowledges an interrupt or escalation.
type Ack struct {
	cli.Operated
	cli.Author
	Interrupt string `arg:"" optional:"" help:"Number in the list, or interrupt or escalation id, or its first letters; or the run or session in which only one waits. Without one, list what is unanswered."`
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

// Run acknowledges an interrupt, or lists those that are open.
func (c *Ack) Run(r *cli.Call) error {
	return answer{Operated: c.Operated, act: runevents.ActAck, interrupt: c.Interrupt, session: c.Session, by: c.Name(), why: c.Why}.run(r)
}

// Dismiss marks an interrupt as a false positive.
type Dismiss struct {
	cli.Operated
	cli.Author
	Interrupt string `arg:"" optional:"" help:"Number in the list, or interrupt id, or its first letters; or the run or session in which only one waits. Without one, list the latest ten."`
	Why       string `help:"Why it was wrong (required)." placeholder:"TEXT"`
	NeverHere bool   `help:"Also mute this detector about this subject: now, and in the rules file for sessions to come."`
	Until     string `help:"When the mute of --never-here ends: 30d or 2026-01-31T12:00:00Z." default:"90d" placeholder:"TIME"`
	Session   string `help:"List only those of this session or run; the first letters of its id are enough." placeholder:"ID"`
}

// Help gives examples.
func (Dismiss) Help() string {
	return `Marks an interrupt as a false positive. The session's budget gets back the unit that the
interrupt cost, once, and the detector's dismiss rate goes up. Every message to an agent or
person ends with its detector and the first letters of its id.

With --never-here the detector is silent about the same subject in this workspace: in this
session at once, in others by a mute in the rules file when the system is started again. If
none is configured, that is scaffoldwatch/rules.yaml in your configuration directory, which
up, scan and done read.

Examples:
  scaffoldwatch dismiss
  scaffoldwatch dismiss 3 --why 'a sample key of the documentation'
  scaffoldwatch dismiss 6k3tq2 --never-here --why 'fixtures hold fake keys'`
}

// Run dismisses an interrupt, or lists those that are open.
func (c *Dismiss) Run(r *cli.Call) error {
	if c.Interrupt != "" && c.Why == "" {
		return cli.Usage(fmt.Errorf("give a reason why it was wrong: dismiss %s --why '…'", c.Interrupt))
	}
	until, err := mute.UntilTime(c.Until, time.Now())
	if err != nil {
		return cli.Usage(err)
	}
	return answer{
		Operated: c.Operated, act: runevents.ActDismiss, interrupt: c.Interrupt, session: c.Session, by: c.Name(), why: c.Why,
		never: c.NeverHere, until: until,
	}.run(r)
}

// answer holds what acknowledging and dismissing share.
type answer struct {
	cli.Operated
	act                         runevents.Act
	interrupt, session, by, why string
	in                          decisions.Place // session or run to list
	never                       bool            // also mute interrupts like it, until a time
	until                       time.Time
}

func (a answer) run(r *cli.Call) (err error) {
	if a.interrupt, err = numbered(a.interrupt); err != nil {
		return cli.Usage(err)
	}
	broker, _, err := a.Open(r)
	if err != nil {
		return err
	}
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
		_, err := fmt.Fprintf(r.Stdout, "%s was %s by %s already; nothing is changed\n", shortID(to.ID), state, terminal.Clean(to.Facts[i].By))
		return err
	}
	acts := []events.Event{operator.Answer(a.act, to, a.by, a.why)}
	var silence never
	if a.never {
		var err error
		if silence, err = a.neverHere(r, broker, to); err != nil {
			return err
		}
		mute, err := silence.act(to, a.by, a.why)
		if err != nil {
			return err
		}
		acts = append(acts, mute)
	}
	if err := a.publish(r, acts...); err != nil {
		return err
	}
	now, err := decisions.FindInterrupt(r, broker, to.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(now.Facts, answered) {
		return fmt.Errorf("%s %s: it was sent and decided, and %s is not %s", a.act, to.ID, to.ID, state)
	}
	if err := a.tell(r, to, state); err != nil || !a.never {
		return err
	}
	return silence.keep(r, a.by, a.why)
}

// publish publishes the answer as the operator and waits until it is decided.
func (a answer) publish(r *cli.Call, acts ...events.Event) error {
	as, err := a.AsOperator(r, string(a.act)+" "+shortID(a.interrupt))
	if err != nil {
		return err
	}
	broker, nc, err := as.Open(r)
	if err != nil {
		return err
	}
	if err := operator.Do(r, broker, nc, acts...); err != nil {
		return fmt.Errorf("%s %s: %w", a.act, a.interrupt, err)
	}
	return nil
}

// tell prints what was done and its effect.
func (a answer) tell(r *cli.Call, to readmodel.Interrupt, state sessionevents.DeliveryState) error {
	fmt.Fprintf(r.Stdout, "%s by %s: %s of turn %d in %s\n%s", state, a.by, to.Detector, to.Turn, naming.Brief(to.Session), r.Below(terminal.Clean(to.Message)))
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
