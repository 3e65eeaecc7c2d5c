// Package operator builds and publishes a person's acts: answers to interrupts, mutes, and other acts from
// the command line.
package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Answer returns a person's act about an interrupt: runevents.ActAck or ActDismiss.
func Answer(act runevents.Act, to readmodel.Interrupt, by, why string) events.Event {
	return events.Event{
		Type: runevents.TypeOperatorAct, Subject: to.Session, PartitionKey: to.Group,
		Data: &runevents.OperatorAct{Act: act, Session: to.Session, Run: runOf(to.Session, to.Group), Target: to.ID, By: by, Why: why},
	}
}

// runOf returns the run of a group; a session without one is its own group (EV-4).
func runOf(session, group string) string {
	if group == session {
		return ""
	}
	return group
}

// Target is what a mute applies to: a session or, with an empty Session, all current and future sessions of
// a group.
type Target struct{ Session, Group string }

// Mute returns the act of a mute. It fails if the dispatcher would reject the act (DP-25). Each call is a
// separate act, distinguished by now.
func Mute(to Target, details runevents.MuteDetails, by, why string, now time.Time) (events.Event, error) {
	return muteAct(runevents.ActMute, to, details, by, why, now)
}

// Unmute returns the act that ends the mutes of an object.
func Unmute(to Target, details runevents.MuteDetails, by, why string, now time.Time) (events.Event, error) {
	return muteAct(runevents.ActUnmute, to, details, by, why, now)
}

func muteAct(name runevents.Act, to Target, details runevents.MuteDetails, by, why string, now time.Time) (events.Event, error) {
	data, err := json.Marshal(details)
	if err != nil {
		return events.Event{}, fmt.Errorf("encode the mute: %w", err)
	}
	act := &runevents.OperatorAct{Act: name, Session: to.Session, Run: runOf(to.Session, to.Group), By: by, Why: why, Details: data}
	if to.Session == "" {
		act.Run = ""
	}
	if _, err := runevents.ParseMute(act); err != nil {
		return events.Event{}, err
	}
	subject := to.Session
	if subject == "" {
		subject = to.Group
	}
	e := events.Event{Type: runevents.TypeOperatorAct, Subject: subject, PartitionKey: to.Group, Time: now.UTC(), Data: act}
	e.ID = events.DerivedID(string(name), subject, now.UTC().Format(time.RFC3339Nano)+string(data), 0)
	return e, nil
}

// Publish publishes a person's acts with the operator's credential (EV-10).
func Publish(ctx context.Context, nc *nats.Conn, acts ...events.Event) error {
	_, err := send(ctx, nc, acts)
	return err
}

// send publishes acts and returns their ids by group.
func send(ctx context.Context, nc *nats.Conn, acts []events.Event) (map[string][]string, error) {
	publisher, err := client.NewPublisher(nc, client.PublisherOptions{Source: Source})
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	sent := map[string][]string{}
	for _, e := range acts {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		receipt, err := publisher.Event(ctx, e)
		cancel()
		if err != nil {
			return sent, errors.Join(fmt.Errorf("publish operator.act for %s (this requires the operator's user, nats.user): %w", e.Subject, err), publisher.Close())
		}
		sent[e.Group()] = append(sent[e.Group()], receipt.ID)
	}
	return sent, publisher.Close()
}

// Do publishes acts and waits until DECISIONS holds them, so that their effect can be read back.
func Do(ctx context.Context, broker *nats.Broker, nc *nats.Conn, acts ...events.Event) error {
	sent, err := send(ctx, nc, acts)
	if err != nil {
		return err
	}
	for group, ids := range sent {
		if err := decisions.AwaitActs(ctx, broker, group, ids...); err != nil {
			return err
		}
	}
	return nil
}
