// Package control keeps the bucket CONTROL, a projection of the control.changed events in
// DECISIONS that harnesses in any language can watch (EV-8).
package control

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natskeep "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// deciding is the stage whose decisions CONTROL shows.
const deciding = "dispatcher"

// Keep rewrites the bucket CONTROL from the control.changed events in DECISIONS and then keeps
// it up to date until ctx ends (EV-8). It calls ready once, when the bucket has been rewritten;
// a dispatcher reads no input before. After an error, with which it calls failed, it starts
// over. Several instances can run at once: a value names the decision it comes from, and an
// older one never replaces a newer one.
func Keep(ctx context.Context, b *natsengine.Broker, ready func(), failed func(error)) {
	var once sync.Once
	natskeep.Retry(ctx, func() (bool, error) {
		progressed := false
		err := keepOnce(ctx, b, func() { progressed = true; once.Do(ready) })
		return progressed, fmt.Errorf("keep the control states: %w", err)
	}, failed)
}

// keepOnce is one attempt of Keep.
func keepOnce(ctx context.Context, b *natsengine.Broker, rewritten func()) error {
	// Decisions made while the bucket is rewritten are read afterwards.
	reader, err := read.Open(ctx, b, read.Options{
		Stage: deciding, Partition: natsengine.AllPartitions, Latest: true,
		Filters: []string{subjects.FleetFilter(runevents.TypeControlChanged), tombstones},
	})
	if err != nil {
		return err
	}
	defer reader.Close()
	bucket, err := openBucket(ctx, b)
	if err != nil {
		return err
	}
	state, err := bucket.store.State(ctx)
	if err != nil {
		return err
	}
	different, err := compare(ctx, b, bucket)
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
	group.Go(func() error { return guardBucket(ctx, b, bucket, state.LastSeq) })
	group.Go(func() error { return follow(ctx, reader, bucket) })
	return group.Wait()
}

// follow writes the decisions that are made from now on, and removes what a purge names.
func follow(ctx context.Context, reader *read.Reader, bucket *bucketWriter) error {
	for {
		changed, erased, err := someChanges(ctx, reader)
		if err != nil {
			return err
		}
		for _, c := range changed {
			if err := bucket.put(ctx, c); err != nil {
				return err
			}
		}
		if erased != nil {
			if err := bucket.forget(ctx, *erased); err != nil {
				return err
			}
		}
	}
}

// manyChanges bounds the changes that are read before they are written; of those about one key
// only the last is.
const manyChanges = 256

// someChanges waits for a change and returns it with the others that have arrived, up to a
// tombstone.
func someChanges(ctx context.Context, reader *read.Reader) (
	changed []entry, erased *runevents.ContentPurged, err error,
) {
	a, err := reader.Next(ctx)
	var order []string
	last := map[string]entry{}
	for n := 0; err == nil; n++ {
		if v, is := entryOf(a); is {
			if _, known := last[v.key]; !known {
				order = append(order, v.key)
			}
			last[v.key] = v
		}
		var more bool
		if erased = erasedBy(a); erased != nil || n >= manyChanges {
			break
		}
		if a, more, err = reader.Ready(ctx); !more {
			break
		}
	}
	for _, key := range order {
		changed = append(changed, last[key])
	}
	return changed, erased, err
}

// Kept calls keep with the state that each value of CONTROL stands for where DECISIONS holds
// nothing about its key (EV-8).
func Kept(ctx context.Context, b *natsengine.Broker, keep func(key string, state runevents.Control)) error {
	bucket, err := openBucket(ctx, b)
	if err != nil {
		return err
	}
	decisions, err := b.Store(ctx, events.StreamDecisions)
	if err != nil {
		return err
	}
	state, err := decisions.State(ctx)
	if err != nil {
		return err
	}
	return read.UpTo(ctx, b, "KV_"+topology.BucketControl, topology.ControlPrefix+">", func(m proof.Message) {
		held := bucket.heldBy(&m)
		if held.deleted || bucket.purged.has(held.sequence) {
			return
		}
		from := control.Origin{Stream: bucket.decisions, Sequence: held.sequence}
		keep(m.Subject[len(topology.ControlPrefix):], control.Kept(m.Data, from, state.FirstSeq))
	})
}
