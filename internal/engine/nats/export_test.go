package nats

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Skipping makes a reader miss what a consumer skips.
func (r *Reader) Skipping(over func(subject string, sequence uint64) bool) {
	r.feed = lossy{r.feed, over}
}

type lossy struct {
	messages
	over func(subject string, sequence uint64) bool
}

func (l lossy) next(ctx context.Context) (message, error) {
	for {
		m, err := l.messages.next(ctx)
		if err != nil || !l.over(m.Subject, m.Sequence) {
			return m, err
		}
	}
}

// HoldsMore is holdsMore of INPUT.
func (b *Broker) HoldsMore(ctx context.Context, from uint64, ago time.Duration) (bool, uint64, error) {
	return b.holdsMore(ctx, events.StreamInput, nil, from, ago)
}

// Answering replaces who answers for the single messages and the state of a stream.
func (b *Broker) Answering(ctx context.Context, name events.Stream, by func(jetstream.Stream) jetstream.Stream) error {
	s, err := b.store(ctx, name)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stores[name] = proof.NewStore(by(s.Stream))
	return nil
}
