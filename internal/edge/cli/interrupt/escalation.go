package interrupt

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// openEscalation is an unacknowledged escalation with its group.
type openEscalation struct {
	runlist.Escalation
	group string
}

// about returns the run, or session, that the escalation is about. An escalation
// caused by several runs is in the group of their project.
func (e openEscalation) about() string {
	if e.Run != "" {
		return e.Run
	}
	return e.group
}

// escalation acknowledges the open escalation that the id names (RW-41); unknown
// is the error when there is none.
func (a answer) escalation(r *cli.Call, broker *nats.Broker, unknown error) error {
	list, err := a.openEscalations(r, broker)
	if err != nil {
		return err
	}
	var found []openEscalation
	for _, e := range list {
		if strings.HasPrefix(e.ID, a.interrupt) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return unknown
	case 1:
	default:
		return fmt.Errorf("several escalations begin with %s: %s, %s …; give more of it", a.interrupt, found[0].ID, found[1].ID)
	}
	e := found[0]
	act := &runevents.OperatorAct{Act: runevents.ActAck, Target: e.ID, By: a.by, Why: a.why}
	subject := e.group
	if e.Session != "" {
		act.Session, subject = e.Session, e.Session
	}
	if e.group != e.Session {
		act.Run = e.group
	}
	if err := a.publish(r, events.Event{Type: runevents.TypeOperatorAct, Subject: subject, PartitionKey: e.group, Data: act}); err != nil {
		return err
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
			if a.session == "" || e.Session == a.session {
				out = append(out, openEscalation{Escalation: e, group: one.ID})
			}
		}
	}
	return out, nil
}

// listEscalations lists the escalations that nobody acknowledged.
func (a answer) listEscalations(r *cli.Call, broker *nats.Broker) error {
	list, err := a.openEscalations(r, broker)
	if err != nil {
		return err
	}
	for _, e := range list {
		if _, err := fmt.Fprintf(r.Stdout, "%s  escalation %s of %s\n  %s\n", r.Theme.Strong.Render(e.ID), e.Issue, e.about(), terminal.Clean(e.Text)); err != nil {
			return err
		}
	}
	return nil
}
