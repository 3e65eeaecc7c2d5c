// Package publish sends input events into a running system, and prepares them the
// same way for `scan`, so that both decide the same.
package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Publisher sends input events in order, as `publish` and the demo do.
type Publisher struct{ publisher *client.Publisher }

// New makes a publisher on an open connection.
func New(nc *nats.Conn) (*Publisher, error) {
	publisher, err := client.NewPublisher(nc, client.PublisherOptions{Source: "/scaffoldwatch/publish"})
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	return &Publisher{publisher}, nil
}

// Send publishes one event and waits until it is stored. What is too large is
// shortened as Prepare does.
func (p *Publisher) Send(ctx context.Context, e events.Event) error {
	e, err := Prepare(e)
	if err != nil {
		return err
	}
	if _, err := p.publisher.Event(ctx, e); err != nil {
		return fmt.Errorf("publish %s of %s: %w", e.Type, e.Subject, err)
	}
	return nil
}

// Close ends it; the connection stays open.
func (p *Publisher) Close() error { return p.publisher.Close() }

// Prepare makes of an input event what a publisher sends, in `scan` as in
// `publish`, so that both judge the same: its group is named (EV-4), and a turn
// over the limit of the contract is shortened (EV-3).
func Prepare(e events.Event) (events.Event, error) {
	e.JoinRun()
	e.Credential = "" // it is not the sender's to say (EV-10)
	e.PartitionKey = e.Group()
	turn, ok := e.Data.(*sessionevents.Turn)
	if !ok {
		return e, nil
	}
	short, _, err := client.ShortenTurn(*turn, events.DefaultLimits().Data)
	if err != nil {
		return e, fmt.Errorf("shorten turn %s of %s: %w", turn.TurnID, turn.Session, err)
	}
	if short.Blocks, err = asSent(short.Blocks); err != nil {
		return e, fmt.Errorf("encode turn %s of %s: %w", turn.TurnID, turn.Session, err)
	}
	e.Data = &short
	return e, nil
}

// asSent writes tool inputs as encoding does on the way: without white space,
// HTML's characters escaped. Their length counts in offsets and sizes.
func asSent(blocks []sessionevents.Block) ([]sessionevents.Block, error) {
	out := slices.Clone(blocks)
	for i := range out {
		if len(out[i].Input) == 0 {
			continue
		}
		input, err := json.Marshal(out[i].Input)
		if err != nil {
			return nil, fmt.Errorf("input of %s: %w", out[i].Name, err)
		}
		out[i].Input = input
	}
	return out, nil
}
