package nats

import (
	"context"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// Record returns the newest record of a partition's chain, completed with its
// checkpoint, nil if there is none: then no build that records itself has written it.
func (b *Broker) Record(ctx context.Context, stage string, partition int) (*proof.Record, error) {
	stream, err := streamOf(stage)
	if err != nil {
		return nil, err
	}
	l, _, err := (&sink{broker: b, stage: stage, stream: stream}).open(ctx, partition)
	if err != nil {
		return nil, fmt.Errorf("read the record of %s partition %d: %w", stream, partition, err)
	}
	return l.records.last, nil
}

// Builds returns the builds that wrote what is kept of a stage, as far as they recorded
// themselves, each once.
func (b *Broker) Builds(ctx context.Context, stage string) (all []buildinfo.Build, err error) {
	for partition := range b.topology.Partitions {
		record, err := b.Record(ctx, stage, partition)
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
