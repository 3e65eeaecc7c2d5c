package nats

import (
	"context"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// KeptControl calls keep with what each value that the bucket CONTROL holds now
// counts for where DECISIONS says nothing of its key (EV-8).
func (b *Broker) KeptControl(ctx context.Context, keep func(key string, state runevents.Control)) error {
	bucket, err := b.controlBucket(ctx)
	if err != nil {
		return err
	}
	decisions, err := b.store(ctx, events.StreamDecisions)
	if err != nil {
		return err
	}
	state, err := decisions.State(ctx)
	if err != nil {
		return err
	}
	return b.readUpTo(ctx, "KV_"+topology.BucketControl, controlPrefix+">", func(m message) {
		held := bucket.heldBy(&m)
		if held.deleted {
			return
		}
		from := control.Origin{Stream: bucket.decisions, Sequence: held.sequence}
		keep(m.Subject[len(controlPrefix):], control.Kept(m.Data, from, state.FirstSeq))
	})
}
