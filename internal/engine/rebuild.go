package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
)

// maxStateBytes bounds what a snapshot may unpack to.
const maxStateBytes = 256 << 20

// Made on first use: a command that folds nothing does not pay for their tables.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithAllLitEntropyCompression(true))
		return w
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		r, _ := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxStateBytes))
		return r
	})
)

func compress(data []byte) []byte { return packer().EncodeAll(data, nil) }

// state returns a group's state through a source sequence, from memory or rebuilt.
func (k *Kernel[S]) state(ctx context.Context, group string, through uint64) (*held[S], error) {
	if held := k.states.get(group); held != nil {
		return held, nil
	}
	began := time.Now()
	skips, err := k.history.Skipped(ctx, group)
	if err != nil {
		return nil, fmt.Errorf("read the skips of %s: %w", group, err)
	}
	if skips == nil {
		skips = map[uint64]string{}
	}
	for {
		held, fault, err := k.rebuild(ctx, group, through, skips)
		if err != nil {
			return nil, err
		}
		if fault != 0 { // the failed step may have changed the state: once more without its input
			skips[fault] = "fails when folded again"
			continue
		}
		held.size = k.size(held.state)
		if held.unsaved > 0 {
			k.unsaved.note(group, held.base+1)
		}
		if k.options.Rebuilt != nil {
			k.options.Rebuilt(held.unsaved, time.Since(began))
		}
		return k.states.put(held), nil
	}
}

// rebuild folds a group's tail onto its latest snapshot, without output. It
// returns the sequence of an input that cannot be folded, 0 if all could.
func (k *Kernel[S]) rebuild(ctx context.Context, group string, through uint64, skips map[uint64]string) (*held[S], uint64, error) {
	held, err := k.stored(ctx, group, through)
	if err != nil {
		return nil, 0, err
	}
	for record, err := range k.history.Tail(ctx, group, held.sequence, through) {
		if err != nil {
			return nil, 0, fmt.Errorf("read the tail of %s after %d: %w", group, held.sequence, err)
		}
		sequence := record.Position.Sequence
		if _, skip := skips[sequence]; skip || record.Fault != "" {
			continue
		}
		next, _, fault := k.step(held.state, record.Input)
		if fault != "" {
			return nil, sequence, nil
		}
		held.advance(next, sequence)
	}
	return held, 0, nil
}

// stored returns a group's state as of its latest snapshot, or a new state. A
// snapshot of a version that the machine cannot read is ignored, so that the state
// is rebuilt from the stream; one of a newer version is an error (EV-11).
func (k *Kernel[S]) stored(ctx context.Context, group string, through uint64) (*held[S], error) {
	snapshot, err := k.history.Snapshot(ctx, group)
	if err != nil {
		return nil, fmt.Errorf("read the snapshot of %s: %w", group, err)
	}
	fresh := &held[S]{group: group, state: k.machine.New(group)}
	switch version := k.machine.Version(); {
	case snapshot == nil || snapshot.Version < oldest(k.machine) && snapshot.Version != lostVersion:
		return fresh, nil
	case snapshot.Version == lostVersion:
		return nil, &lostError{group}
	case snapshot.Version > version:
		return nil, fmt.Errorf("the snapshot of %s has schema version %d, this program reads up to %d: upgrade it", group, snapshot.Version, version)
	case snapshot.Sequence > through:
		return nil, fmt.Errorf("the snapshot of %s is ahead of this owner: %w", group, ErrFenced)
	}
	data, err := unpacker().DecodeAll(snapshot.Data, nil)
	if err != nil {
		return fresh, nil // damaged: the stream holds everything
	}
	state, err := k.machine.Decode(data)
	if err != nil {
		return fresh, nil
	}
	return &held[S]{group: group, state: state, sequence: snapshot.Sequence, base: snapshot.Sequence, count: snapshot.Folded}, nil
}

// oldest returns the oldest version of a snapshot that a machine reads.
func oldest[S any](machine step.Machine[S]) int {
	if m, ok := machine.(step.Upgrader); ok {
		return m.Oldest()
	}
	return machine.Version()
}
