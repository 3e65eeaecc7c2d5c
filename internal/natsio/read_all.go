package natsio

import (
	"context"
	"errors"
	"time"
)

// forgedTail is how long ReadAll waits behind what cannot be accepted: a forged
// checkpoint at the end of a stream is never passed.
const forgedTail = 500 * time.Millisecond

// ReadAll gives take every accepted event that a stage had committed when it was
// called, in stream order, and returns. Filters are as in [ReaderOptions].
func (b *Broker) ReadAll(ctx context.Context, o ReaderOptions, take func(Accepted) error) error {
	r, err := b.Reader(ctx, o)
	if err != nil {
		return err
	}
	defer r.Close()
	last, err := r.store.last(ctx, r.checkpoints())
	if err != nil || last == nil {
		return err
	}
	for r.anchor.Anchor < last.Sequence || len(r.accepted) > 0 {
		wait, cancel := context.WithTimeout(ctx, forgedTail)
		a, err := r.Next(wait)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return nil
		}
		if err != nil {
			return err
		}
		if a.Idle {
			continue
		}
		if err := take(a); err != nil {
			return err
		}
	}
	return nil
}
