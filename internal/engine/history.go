package engine

import (
	"context"
	"iter"
)

// The attempt is its kernel's [History]: what is committed, and before it what
// its batch is about to commit.

// Snapshot returns the latest snapshot of a group, nil if there is none.
func (a *attempt[S]) Snapshot(ctx context.Context, group string) (*Snapshot, error) {
	if snapshot := a.batch.snapshot(group); snapshot != nil {
		return snapshot, nil
	}
	return a.log.Snapshot(ctx, group)
}

// Skipped returns the skipped inputs of a group, committed or not yet.
func (a *attempt[S]) Skipped(ctx context.Context, group string) (map[uint64]string, error) {
	skips, err := a.log.Skipped(ctx, group)
	if err != nil {
		return nil, err
	}
	if skips == nil {
		skips = map[uint64]string{}
	}
	for _, skip := range a.batch.Skips {
		if skip.Group == group {
			skips[skip.Sequence] = skip.Reason
		}
	}
	return skips, nil
}

// Tail yields a group's records from the source.
func (a *attempt[S]) Tail(ctx context.Context, group string, after, through uint64) iter.Seq2[Record, error] {
	return a.Source.Tail(ctx, a.partition, group, after, through)
}

// Save puts a snapshot into the batch; a full one is committed first. It returns
// false for one that is too large to store.
func (a *attempt[S]) Save(ctx context.Context, snapshot Snapshot) (stored bool, err error) {
	if most := a.log.Options().MaxSnapshot; most > 0 && len(snapshot.Data) > most {
		return false, nil
	}
	if a.batch.count() >= a.Options.MaxMessages {
		if err := a.commit(ctx); err != nil {
			return false, err
		}
		a.batch.begin()
	}
	snapshot.Keep = a.whole()
	a.batch.put(snapshot)
	return true, nil
}
