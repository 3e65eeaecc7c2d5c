package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// interruptFilters select what is told of interrupts.
func interruptFilters() []string {
	return []string{
		subjects.FleetFilter(sessionevents.TypeInterruptFired),
		"decisions." + string(sessionevents.TypeInterruptDelivery) + ".>",
		"decisions." + string(runevents.TypeOperatorAct) + ".>",
	}
}

// Errors of an interrupt that was asked for.
var (
	ErrNoInterrupt = errors.New("there is no interrupt")
	ErrAmbiguous   = errors.New("several interrupts begin with")
)

// OpenInterrupts are the interrupts of open sessions that no person answered, the
// latest first, at most limit; session "" takes any.
func OpenInterrupts(ctx context.Context, broker *nats.Broker, session string, limit int) ([]readmodel.Interrupt, error) {
	filters := append(interruptFilters(), "decisions."+string(sessionevents.TypeSessionClosed)+".>")
	if session != "" {
		filters = SessionFilters(session)
	}
	model, err := ReadModel(ctx, ReadAfresh, broker, filters...)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	return model.OpenInterrupts(ctx, session, limit)
}

// FindInterrupt finds an interrupt in DECISIONS by its id, or by a beginning of
// it that no other one has.
func FindInterrupt(ctx context.Context, broker *nats.Broker, id string) (readmodel.Interrupt, error) {
	if !events.ValidID(id) {
		return readmodel.Interrupt{}, fmt.Errorf("%q is no id of an interrupt; `scaffoldwatch ack` without one lists them", id)
	}
	model, err := ReadModel(ctx, ReadAfresh, broker, interruptFilters()...)
	if err != nil {
		return readmodel.Interrupt{}, err
	}
	defer model.Close()
	found, err := model.FindInterrupts(ctx, id, 2)
	switch {
	case err != nil:
		return readmodel.Interrupt{}, err
	case len(found) == 0:
		return readmodel.Interrupt{}, fmt.Errorf("%w %s; `scaffoldwatch ack` without an id lists those that wait for an answer", ErrNoInterrupt, id)
	case len(found) > 1 && found[0].ID != id:
		return readmodel.Interrupt{}, fmt.Errorf("%w %s: %s, %s …; give more of it", ErrAmbiguous, id, found[0].ID, found[1].ID)
	}
	return found[0], nil
}

// Answer is the act of a person about an interrupt: dispatch.ActAck or ActDismiss.
func Answer(act string, to readmodel.Interrupt, by, why string) events.Event {
	return events.Event{
		Type: runevents.TypeOperatorAct, Subject: to.Session, PartitionKey: to.Group,
		Data: &runevents.OperatorAct{Act: act, Session: to.Session, Run: runOf(to.Session, to.Group), Target: to.ID, By: by, Why: why},
	}
}

// runOf is the run of a group; a session without one is its own group (EV-4).
func runOf(session, group string) string {
	if group == session {
		return ""
	}
	return group
}

// MuteTarget is what one mute is for: a session, or with an empty Session every
// session of a group, also those to come.
type MuteTarget struct{ Session, Group string }

// MuteAct makes the act of a mute and checks it as the dispatcher will (DP-25).
// Each call is an act of its own, told apart by now.
func MuteAct(to MuteTarget, details budget.MuteDetails, by, why string, now time.Time) (events.Event, error) {
	return muteAct(budget.ActMute, to, details, by, why, now)
}

// UnmuteAct makes the act that takes the mutes of an object back.
func UnmuteAct(to MuteTarget, details budget.MuteDetails, by, why string, now time.Time) (events.Event, error) {
	return muteAct(budget.ActUnmute, to, details, by, why, now)
}

func muteAct(name string, to MuteTarget, details budget.MuteDetails, by, why string, now time.Time) (events.Event, error) {
	data, err := json.Marshal(details)
	if err != nil {
		return events.Event{}, fmt.Errorf("encode the mute: %w", err)
	}
	act := &runevents.OperatorAct{Act: name, Session: to.Session, Run: runOf(to.Session, to.Group), By: by, Why: why, Details: data}
	if to.Session == "" {
		act.Run = ""
	}
	if _, err := budget.ParseMute(act); err != nil {
		return events.Event{}, err
	}
	subject := to.Session
	if subject == "" {
		subject = to.Group
	}
	e := events.Event{Type: runevents.TypeOperatorAct, Subject: subject, PartitionKey: to.Group, Time: now.UTC(), Data: act}
	e.ID = events.DerivedID(name, subject, now.UTC().Format(time.RFC3339Nano)+string(data), 0)
	return e, nil
}

// operatorSource is the CloudEvents source of what a person does at the command line.
const operatorSource = "/scaffoldwatch/operator"

// Act publishes what a person did, with the operator's credential (EV-10).
func Act(ctx context.Context, nc *nats.Conn, acts ...events.Event) error {
	publisher, err := client.NewPublisher(nc, client.PublisherOptions{Source: operatorSource})
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	for _, e := range acts {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := publisher.Event(ctx, e)
		cancel()
		if err != nil {
			return errors.Join(fmt.Errorf("publish operator.act for %s (it takes the operator's user, nats.user): %w", e.Subject, err), publisher.Close())
		}
	}
	return publisher.Close()
}
