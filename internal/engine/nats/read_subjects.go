package nats

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// scanSubjects calls found with the subject and sequence of each message that a
// stream holds now on some subjects, from a sequence on, until it returns false.
// The broker sends no data.
func (b *Broker) scanSubjects(ctx context.Context, stream events.Stream, filters []string, from uint64, found func(subject string, sequence uint64) bool) error {
	more, _, err := b.holdsMore(ctx, stream, filters, from, 0)
	if err != nil || !more {
		return err
	}
	reading, err := b.openOrdered(ctx, stream, orderedOptions{filters: filters, from: from, headers: true, ends: true})
	if err != nil {
		return err
	}
	defer reading.stop()
	err = reading.each(ctx, func(m message) (bool, error) { return found(m.Subject, m.Sequence), nil })
	if err != nil {
		return fmt.Errorf("scan stream %s: %w", stream, err)
	}
	return nil
}

// groups returns the groups of the messages with after < sequence ≤ through, each
// with where they are, and the oldest sequence of the stream.
func (b *Broker) groups(ctx context.Context, stream events.Stream, filters []string, after, through uint64) (map[string]engine.Span, uint64, error) {
	store, err := b.store(ctx, stream)
	if err != nil {
		return nil, 0, err
	}
	spans := map[string]engine.Span{}
	if after < through {
		err = b.scanSubjects(ctx, stream, filters, after+1, func(subject string, sequence uint64) bool {
			if sequence > through {
				return false
			}
			group := groupToken(subject)
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
