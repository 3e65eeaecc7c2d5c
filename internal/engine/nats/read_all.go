package nats

import "context"

// ReadAll calls take with every accepted event that a stage had committed when it
// was called, in stream order. It returns take's error.
func (b *Broker) ReadAll(ctx context.Context, o ReaderOptions, take func(Accepted) error) error {
	r, err := b.Reader(ctx, o)
	if err != nil {
		return err
	}
	defer r.Close()
	last, err := r.store.Last(ctx, r.checkpoints())
	if err != nil || last == nil {
		return err
	}
	for at := r.start; at <= last.Sequence; at = r.seen + 1 {
		m, err := r.feed.next(ctx)
		if err == nil {
			err = r.read(ctx, m)
		}
		if err != nil {
			return err
		}
		for a, ok := r.take(); ok; a, ok = r.take() {
			if a.Idle {
				continue
			}
			if err := take(a); err != nil {
				return err
			}
		}
	}
	return nil
}
