// Package publish sends input events to a running system, and prepares them the same way for `scan`, so
// that both decide the same.
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

// New returns a publisher on an open connection.
func New(nc *nats.Conn) (*Publisher, error) {
	publisher, err := client.NewPublisher(nc, client.PublisherOptions{Source: "/scaffoldwatch/publish"})
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	return &Publisher{publisher}, nil
}

// Send publishes one event and waits until it is stored. An event that is too large is shortened as Prepare
// does.
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

// Close closes the publisher; the connection stays open.
func (p *Publisher) Close() error { return p.publisher.Close() }

// Prepare returns an input event as a publisher sends it, in `scan` as in `publish`, so that both judge the
// same: with its group (EV-4), and with a turn over the contract's limit shortened (EV-3).
func Prepare(e events.Event) (events.Event, error) {
	e.JoinRun()
	e.Credential = "" // the sender does not determine it (EV-10)
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

// asSent rewrites tool inputs as encoding does in transit: without white space and with HTML characters
// escaped, since their length counts in offsets and sizes.
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
