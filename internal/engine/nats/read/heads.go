package read

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// ChainHead is the last valid checkpoint of one partition of a stage's stream.
type ChainHead struct {
	Partition int
	Sequence  uint64
	Digest    string
	// Position names the checkpoint of the stream before that the stage consumed last.
	Position engine.Position
}

// ChainHeads returns the last valid checkpoint of each partition of a stage below a sequence of
// its stream; 0: of all. It reads no other messages.
func ChainHeads(ctx context.Context, b *natsengine.Broker, stage string, below uint64) (heads []ChainHead, err error) {
	for partition := range b.Topology().Partitions {
		head, err := ChainHeadOf(ctx, b, stage, partition, below)
		if err != nil {
			return nil, err
		}
		if head.Sequence > 0 {
			heads = append(heads, head)
		}
	}
	return heads, nil
}

// ChainHeadOf returns the last valid checkpoint of one partition, with the sequence 0 if there
// is none.
func ChainHeadOf(
	ctx context.Context, b *natsengine.Broker, stage string, partition int, below uint64,
) (ChainHead, error) {
	stream, err := natsengine.StreamOf(stage)
	if err != nil {
		return ChainHead{}, err
	}
	store, err := b.Store(ctx, stream)
	if err != nil {
		return ChainHead{}, err
	}
	checkpoint, at, _, err := proof.LastCheckpoint(ctx, store, b.Verifier(stage), partition, below)
	if err != nil {
		return ChainHead{}, fmt.Errorf("find the head of %s partition %d: %w", stream, partition, err)
	}
	if checkpoint == nil {
		return ChainHead{}, nil
	}
	return ChainHead{
		Partition: partition, Sequence: at.Sequence, Digest: proof.Head(at.Data), Position: checkpoint.Position,
	}, nil
}
