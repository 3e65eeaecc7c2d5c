package nats

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Answering replaces who answers for the single messages and the state of a stream.
func (b *Broker) Answering(ctx context.Context, name events.Stream, by func(jetstream.Stream) jetstream.Stream) error {
	s, err := b.Store(ctx, name)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stores[name] = proof.NewStore(by(s.Stream))
	return nil
}
