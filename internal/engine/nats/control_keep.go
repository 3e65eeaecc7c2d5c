package nats

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// deciding is the stage whose decisions CONTROL is a projection of.
const deciding = "dispatcher"

// KeepControl makes the bucket CONTROL what the control.changed in DECISIONS say
// and keeps it so until ctx ends (EV-8). Ready is called once, when the bucket
// has been rewritten; a dispatcher reads no input before. It starts over after
// an error, which failed hears. Instances do one another no harm: a value names
// the decision it comes from, and an older one never replaces a newer one.
func (b *Broker) KeepControl(ctx context.Context, ready func(), failed func(error)) {
	var once sync.Once
	retry(ctx, func() (bool, error) {
		progressed := false
		err := b.keepControl(ctx, func() { progressed = true; once.Do(ready) })
		return progressed, fmt.Errorf("keep the control states: %w", err)
	}, failed)
}

// keepControl is one attempt.
func (b *Broker) keepControl(ctx context.Context, rewritten func()) error {
	// Decisions made while the bucket is rewritten are read afterwards.
	reader, err := b.Reader(ctx, ReaderOptions{
		Stage: deciding, Partition: AllPartitions, Latest: true, Filters: []string{subjects.FleetFilter(runevents.TypeControlChanged)},
	})
	if err != nil {
		return err
	}
	defer reader.Close()
	bucket, err := b.controlBucket(ctx)
	if err != nil {
		return err
	}
	state, err := bucket.store.State(ctx)
	if err != nil {
		return err
	}
	different, err := b.compareControl(ctx, bucket)
	if err != nil {
		return err
	}
	for _, d := range different {
		if err := bucket.correct(ctx, d); err != nil {
			return err
		}
	}
	rewritten()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return b.guardControl(ctx, bucket, state.LastSeq) })
	group.Go(func() error { return followControl(ctx, reader, bucket) })
	return group.Wait()
}

// followControl writes what is decided from now on.
func followControl(ctx context.Context, reader *Reader, bucket *controlBucket) error {
	for {
		changed, err := someControl(ctx, reader)
		if err != nil {
			return err
		}
		for _, c := range changed {
			if err := bucket.put(ctx, c); err != nil {
				return err
			}
		}
	}
}

// manyControl are taken together; of those about one key only the last counts.
const manyControl = 256

// someControl waits for a change and takes what else is at hand.
func someControl(ctx context.Context, reader *Reader) ([]controlEntry, error) {
	a, err := reader.Next(ctx)
	var order []string
	last := map[string]controlEntry{}
	for n := 0; err == nil; n++ {
		if v, is := controlOf(a); is {
			if _, known := last[v.key]; !known {
				order = append(order, v.key)
			}
			last[v.key] = v
		}
		var more bool
		if n >= manyControl {
			break
		}
		if a, more, err = reader.Ready(ctx); !more {
			break
		}
	}
	changed := make([]controlEntry, 0, len(order))
	for _, key := range order {
		changed = append(changed, last[key])
	}
	return changed, err
}
