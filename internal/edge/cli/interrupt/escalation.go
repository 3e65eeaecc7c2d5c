package interrupt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// openEscalation is an unacknowledged escalation with its group.
type openEscalation struct {
	runlist.Escalation
	group string
}

// about returns the run or session that the escalation is about. An escalation caused by several runs is in
// the group of their project.
func (e openEscalation) about() string {
	if e.Run != "" {
		return e.Run
	}
	return e.group
}

// other handles an id that does not name an interrupt: an open escalation, or the one thing pending in a
// run or session. Unknown is the error if it is neither.
func (a answer) other(r *cli.Call, broker *nats.Broker, unknown error) error {
	var list []openEscalation
	if a.act == runevents.ActAck {
		var err error
		if list, err = a.openEscalations(r, broker); err != nil {
			return err
		}
	}
	var found []openEscalation
	for _, e := range list {
		if strings.HasPrefix(e.ID, a.interrupt) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return a.within(r, broker, list, unknown)
	case 1:
		return a.escalation(r, broker, found[0])
	}
	return fmt.Errorf("several escalations begin with %s: %s, %s …; give more of the id", a.interrupt, found[0].ID, found[1].ID)
}

// within answers the only thing that is pending in the run or session with this id.
func (a answer) within(r *cli.Call, broker *nats.Broker, escalations []openEscalation, unknown error) error {
	p, err := decisions.FindPlace(r, broker, a.interrupt)
	if errors.Is(err, decisions.ErrUnknown) {
		return fmt.Errorf("%w; and %w", unknown, err)
	}
	if err != nil {
		return err
	}
	interrupts, err := decisions.UnansweredInterruptsOf(r, broker, p, latest)
	if err != nil {
		return err
	}
	escalations = slices.DeleteFunc(escalations, func(e openEscalation) bool { return !e.in(p) })
	switch {
	case len(interrupts)+len(escalations) == 0:
		return fmt.Errorf("nothing waits for an answer in %s %s", p.Kind(), naming.Brief(p.ID))
	case len(interrupts)+len(escalations) > 1:
		if err := a.listInterrupts(r, interrupts); err != nil {
			return err
		}
		if err := printEscalations(r, escalations); err != nil {
			return err
		}
		return cli.Usage(fmt.Errorf("%d wait for an answer in %s; give the id of one", len(interrupts)+len(escalations), p.ID))
	case len(escalations) == 1:
		return a.escalation(r, broker, escalations[0])
	}
	return a.answer(r, broker, interrupts[0])
}

// in reports whether an escalation is about a run or session.
func (e openEscalation) in(p decisions.Place) bool {
	return p.Run && (e.group == p.ID || e.Run == p.ID) || p.IsSession && (e.Session == p.ID || e.group == p.ID)
}

// escalation acknowledges an open escalation and reads back that it is no longer open (RW-41).
func (a answer) escalation(r *cli.Call, broker *nats.Broker, e openEscalation) error {
	if err := a.publish(r, operator.AckEscalation(e.Escalation, e.group, a.by, a.why)); err != nil {
		return err
	}
	open, err := a.openEscalations(r, broker)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(open, func(o openEscalation) bool { return o.ID == e.ID }) {
		return fmt.Errorf("ack %s: it was sent and decided, and %s is still open", e.ID, e.ID)
	}
	_, err = fmt.Fprintf(r.Stdout, "acked by %s: %s of %s\n  %s\n", a.by, e.Issue, e.about(), terminal.Clean(e.Text))
	return err
}

func (a answer) openEscalations(r *cli.Call, broker *nats.Broker) ([]openEscalation, error) {
	runs, err := decisions.Runs(r, broker)
	if err != nil {
		return nil, err
	}
	var out []openEscalation
	for _, one := range runs {
		for _, e := range one.Escalations {
			if open := (openEscalation{Escalation: e, group: one.ID}); a.in.ID == "" || open.in(a.in) {
				out = append(out, open)
			}
		}
	}
	return out, nil
}

// listEscalations lists the escalations that nobody has acknowledged.
func (a answer) listEscalations(r *cli.Call, broker *nats.Broker) error {
	list, err := a.openEscalations(r, broker)
	if err != nil {
		return err
	}
	return printEscalations(r, list)
}

func printEscalations(r *cli.Call, list []openEscalation) error {
	for _, e := range list {
		id, of := e.ID, "escalation "+e.Issue+" of "+e.about()
		if r.Theme.Interactive { // scripts read whole ids
			id, of = naming.Brief(e.ID), naming.Brief(e.about())+" needs you: "+runlist.IssueName(e.Issue)
		}
		if _, err := fmt.Fprintf(r.Stdout, "%s  %s\n  %s\n", r.Theme.Strong.Render(id), terminal.Clean(of), terminal.Clean(e.Text)); err != nil {
			return err
		}
	}
	return nil
}
