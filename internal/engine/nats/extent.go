package nats

import (
	"context"
	"fmt"
	"time"
)

// Extent is which stream a stage writes and what it holds.
type Extent struct {
	// Identity changes when the stream is made anew.
	Identity string
	// First and Last are the sequences it holds; First above 1: the beginning is
	// gone by age.
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
