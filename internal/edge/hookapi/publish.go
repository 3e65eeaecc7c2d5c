package hookapi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hookapi/wire"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// roomForEnvelope is what the rest of a hook.received has beside its payload.
const roomForEnvelope = 64 << 10

// messageHook is the only hook that comes in pieces.
const messageHook = "MessageDisplay"

// publish records the call, after the message that was being shown before it;
// either may be nil.
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

// spooled keeps what the guard answered where the broker does not take it, so that it is recorded later; the
// error is the broker's, with that of the spool.
func (c *call) spooled(id string, failed error) error {
	d := c.answer.Decided
	if d == nil || c.Spool == nil {
		return failed
	}
	event := wire.GuardEvent(d, c.event.Session, id)
	event.Time = time.Now().UTC()
	return errors.Join(failed, c.Spool(event))
}

// observed publishes what a look at the workspace shows, where a response is complete and claims what a
// look can show.
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

// decided publishes what the guard answered (GD-21), after the call that it is about. The id
// of a call that its agent numbers says the same for the same call, also by another hook.
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

// shortened cuts the long texts of a payload over the contract's limit (EV-3).
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
