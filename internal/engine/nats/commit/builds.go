package commit

import (
	"context"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// Record returns the newest record of a partition's chain, completed with its checkpoint. It
// returns nil if there is none: no build that records itself has written the partition.
func Record(ctx context.Context, b *natsengine.Broker, stage string, partition int) (*proof.Record, error) {
	stream, err := natsengine.StreamOf(stage)
	if err != nil {
		return nil, err
	}
	l, _, err := newSink(b, stage, stream).open(ctx, partition)
	if err != nil {
		return nil, fmt.Errorf("read the record of %s partition %d: %w", stream, partition, err)
	}
	return l.records.last, nil
}

// Builds returns the builds that wrote what is kept of a stage, each once. A build that does
// not record itself is missing.
func Builds(ctx context.Context, b *natsengine.Broker, stage string) (all []buildinfo.Build, err error) {
	for partition := range b.Topology().Partitions {
		record, err := Record(ctx, b, stage, partition)
		if err != nil {
			return nil, err
		}
		if record == nil {
			continue
		}
		for _, span := range record.Builds {
			if !slices.Contains(all, span.Build) {
				all = append(all, span.Build)
			}
		}
	}
	return all, nil
}
