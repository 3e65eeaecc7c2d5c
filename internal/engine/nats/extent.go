package nats

import (
	"context"
	"fmt"
)

// Extent describes the stream that a stage writes.
type Extent struct {
	// Identity changes when the stream is removed and created again.
	Identity string
	// First and Last are the sequences it holds. A First above 1 means that the
	// beginning has expired.
	First, Last uint64
	// Before is the identity that a restored stream had when it was backed up. Through
	// BeforeLast the two are the same.
	Before     string
	BeforeLast uint64
}

// holds reports whether a sequence of a stream with an identity is one of this stream.
func (e Extent) holds(identity string, sequence uint64) bool {
	return identity == e.Identity || identity == e.Before && sequence <= e.BeforeLast
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
	e := Extent{Identity: IdentityOf(info), First: info.State.FirstSeq, Last: info.State.LastSeq}
	e.Before, e.BeforeLast = before(info)
	return e, nil
}
