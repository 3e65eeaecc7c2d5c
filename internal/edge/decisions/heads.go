package decisions

import (
	"context"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/head"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// headsOf returns the checkpoint of a group's partition of DECISIONS up to a sequence, and the one of
// SIGNALS that it names: what a report of the group is derived from (AU-2).
func headsOf(ctx context.Context, broker *nats.Broker, group string, through uint64) ([]head.Head, error) {
	partition := subjects.Partition(group, broker.Topology().Partitions)
	last, err := read.ChainHeadOf(ctx, broker, "dispatcher", partition, through+1)
	if err != nil || last.Sequence == 0 {
		return nil, err
	}
	heads := []head.Head{{Stream: string(events.StreamDecisions), Partition: partition, Sequence: last.Sequence, Digest: last.Digest}}
	if last.Position.Anchor > 0 && last.Position.Head != "" {
		heads = append(heads, head.Head{Stream: string(events.StreamSignals), Partition: partition, Sequence: last.Position.Anchor, Digest: last.Position.Head})
	}
	return heads, nil
}
