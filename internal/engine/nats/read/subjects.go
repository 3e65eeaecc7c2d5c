package read

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Scan calls found with the subject and sequence of each message that a stream holds on filters
// from a sequence on, until found returns false. The broker sends no data.
func Scan(
	ctx context.Context, b *natsengine.Broker, stream events.Stream,
	filters []string, from uint64, found func(subject string, sequence uint64) bool,
) error {
	more, _, err := holdsMore(ctx, b, stream, filters, from, 0)
	if err != nil || !more {
		return err
	}
	reading, err := openOrdered(ctx, b, stream, orderedOptions{filters: filters, from: from, headers: true, ends: true})
	if err != nil {
		return err
	}
	defer reading.stop()
	err = reading.each(ctx, func(m proof.Message) (bool, error) { return found(m.Subject, m.Sequence), nil })
	if err != nil {
		return fmt.Errorf("scan stream %s: %w", stream, err)
	}
	return nil
}

// Groups returns the groups of the messages with after < sequence ≤ through, each with its
// first and last message, and the oldest sequence of the stream.
func Groups(
	ctx context.Context, b *natsengine.Broker, stream events.Stream, filters []string, after, through uint64,
) (map[string]engine.Span, uint64, error) {
	store, err := b.Store(ctx, stream)
	if err != nil {
		return nil, 0, err
	}
	spans := map[string]engine.Span{}
	if after < through {
		err = Scan(ctx, b, stream, filters, after+1, func(subject string, sequence uint64) bool {
			if sequence > through {
				return false
			}
			group := topology.GroupOf(subject)
			span, known := spans[group]
			if !known {
				span.First = sequence
			}
			span.Last = sequence
			spans[group] = span
			return sequence < through
		})
	}
	if err != nil {
		return nil, 0, err
	}
	state, err := store.State(ctx)
	return spans, state.FirstSeq, err
}

// UpTo calls take with the messages that a stream holds on a filter, in order, up to its
// present end. It asks the stream where that is: a consumer on a server whose copy lags would
// stop before it.
func UpTo(
	ctx context.Context, b *natsengine.Broker, stream events.Stream, filter string, take func(proof.Message),
) error {
	filters := []string{filter}
	// A reading would wait for a first message.
	if some, _, err := holdsMore(ctx, b, stream, filters, 1, 0); err != nil || !some {
		return err
	}
	reading, err := openOrdered(ctx, b, stream, orderedOptions{filters: filters, from: 1, ends: true})
	if err != nil {
		return err
	}
	defer reading.stop()
	err = reading.each(ctx, func(m proof.Message) (bool, error) {
		take(m)
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("read stream %s: %w", stream, err)
	}
	return nil
}
