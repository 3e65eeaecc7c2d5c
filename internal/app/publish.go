package app

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Publish sends input events in order, as `publish` and the demo do.
type Publish struct{ publisher *client.Publisher }

// NewPublish makes it on an open connection.
func NewPublish(nc *nats.Conn) (*Publish, error) {
	publisher, err := client.NewPublisher(nc, client.PublisherOptions{Source: "/scaffoldwatch/publish"})
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	return &Publish{publisher}, nil
}

// Send publishes one event and waits until it is stored. What is too large is
// shortened as Prepare does.
func (p *Publish) Send(ctx context.Context, e events.Event) error {
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
func (p *Publish) Close() error { return p.publisher.Close() }

// Prepare shortens a turn that is over the limit of the contract (EV-3), in
// `scan` as in `publish`, so that both judge the same turn.
func Prepare(e events.Event) (events.Event, error) {
	turn, ok := e.Data.(*events.Turn)
	if !ok {
		return e, nil
	}
	short, cut, err := client.ShortenTurn(*turn, events.DefaultLimits().Data)
	if err != nil {
		return e, fmt.Errorf("shorten turn %s of %s: %w", turn.TurnID, turn.Session, err)
	}
	if cut > 0 {
		e.Data = &short
	}
	return e, nil
}
