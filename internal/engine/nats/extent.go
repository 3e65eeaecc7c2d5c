package nats

import (
	"context"
	"fmt"
	"time"
)

// Extent describes the stream that a stage writes.
type Extent struct {
	// Identity changes when the stream is removed and created again.
	Identity string
	// First and Last are the sequences it holds. A First above 1 means that the
	// beginning has expired.
	First, Last uint64
}

// Extent looks up the stream that a stage writes.
func (b *Broker) Extent(ctx context.Context, stage string) (Extent, error) {
	stream, err := streamOf(stage)
	if err != nil {
		return Extent{}, err
	}
	store, err := b.store(ctx, stream)
	if err != nil {
		return Extent{}, err
	}
	info, err := store.Stream.Info(ctx)
	if err != nil {
		return Extent{}, fmt.Errorf("look up stream %s: %w", stream, err)
	}
	return Extent{Identity: info.Created.UTC().Format(time.RFC3339Nano), First: info.State.FirstSeq, Last: info.State.LastSeq}, nil
}
