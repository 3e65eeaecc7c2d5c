package hookapi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// roomForEnvelope is the size of the other fields of a hook.received.
const roomForEnvelope = 64 << 10

// messageHook is the only hook that arrives in pieces.
const messageHook = "MessageDisplay"

// publish records the call, after the message that preceded it; either may be nil.
func (c *call) publish(ctx context.Context, id string, before, payload json.RawMessage) error {
	ctx, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	if before != nil {
		if err := c.received(ctx, rand.Text(), "", messageHook, before, nil); err != nil {
			return c.spooled(id, err)
		}
	}
	if payload == nil {
		return nil
	}
	if err := c.observed(ctx, id); err != nil {
		return err
	}
	if err := c.received(ctx, id, c.trace, c.event.Name, payload, c.answered()); err != nil {
		return c.spooled(id, err)
	}
	if err := c.decided(ctx, id); err != nil {
		return c.spooled(id, err)
	}
	return nil
}

// spooled stores the guard's answer for later if the broker does not accept it; the error is the broker's,
// joined with that of the spool.
func (c *call) spooled(id string, failed error) error {
	d := c.answer.Decided
	if d == nil || c.Spool == nil {
		return failed
	}
	event := wire.GuardEvent(d, c.event.Session, id)
	event.Time = time.Now().UTC()
	return errors.Join(failed, c.Spool(event))
}

// observed publishes the observation of the workspace if a response is complete and makes claims that it
// can confirm.
func (c *call) observed(ctx context.Context, id string) error {
	if c.Look == nil || c.elsewhere || c.event.Point != hook.PointStop {
		return nil
	}
	o := c.Look(&c.event)
	if o == nil {
		return nil
	}
	o.Session, o.Run = c.event.Session, c.run
	if _, err := c.publisher.Event(ctx, wire.ObservedEvent(o, id)); err != nil {
		return fmt.Errorf("record what the workspace shows: %w", err)
	}
	return nil
}

// decided publishes the guard's answer (GD-21), after the call that it is about. If the agent numbers its
// calls, the id is the same for the same call, even from another hook.
func (c *call) decided(ctx context.Context, id string) error {
	d := c.answer.Decided
	if d == nil {
		return nil
	}
	if _, err := c.publisher.Event(ctx, wire.GuardEvent(d, c.event.Session, id)); err != nil {
		return fmt.Errorf("record what the guard answered: %w", err)
	}
	return nil
}

// received publishes one hook.received.
func (c *call) received(ctx context.Context, id, trace, name string, payload json.RawMessage, answer *sessionevents.HookAnswer) error {
	payload, err := shortened(payload)
	if err != nil {
		return err
	}
	_, err = c.publisher.Event(ctx, events.Event{
		ID: id, Source: Source, Type: sessionevents.TypeHookReceived, Subject: c.event.Session, PartitionKey: c.run, Correlation: c.run, TraceParent: trace,
		Data: &sessionevents.HookReceived{
			Session: c.event.Session, Agent: sessionevents.Agent{Kind: c.event.Dialect.Agent}, Event: name, Payload: payload, Run: c.run, Answer: answer,
		},
	})
	if err != nil {
		return fmt.Errorf("record the hook %s: %w", name, err)
	}
	return nil
}

// shortened shortens the long texts of a payload that exceeds the contract's limit (EV-3).
func shortened(payload json.RawMessage) (json.RawMessage, error) {
	limit := events.DefaultLimits().Data - roomForEnvelope
	if len(payload) <= limit {
		return payload, nil
	}
	turn, _, err := client.ShortenTurn(sessionevents.Turn{Native: payload}, limit)
	if err != nil {
		return nil, fmt.Errorf("shorten the hook's JSON: %w", err)
	}
	return turn.Native, nil
}
