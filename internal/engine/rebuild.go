package engine

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// maxStateBytes bounds the unpacked size of a snapshot.
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

// state returns a group's state after a source sequence, from memory or rebuilt.
func (k *Kernel[S]) state(ctx context.Context, group string, through uint64) (*held[S], error) {
	if held := k.states.get(group); held != nil {
		return held, nil
	}
	began := time.Now()
	held, err := k.unpack(group)
	if err != nil || held == nil {
		held, err = k.rebuild(ctx, group, through)
	}
	if err != nil {
		return nil, err
	}
	held.size = k.size(held.state)
	if held.unsaved > 0 {
		k.unsaved.note(group, Span{held.base + 1, held.sequence})
	}
	if k.options.Rebuilt != nil {
		k.options.Rebuilt(held.unsaved, time.Since(began))
	}
	k.states.put(group, held)
	return held, nil
}

// unpack returns a group's state from its packed form, nil if there is none.
func (k *Kernel[S]) unpack(group string) (*held[S], error) {
	p := k.packed.get(group)
	if p == nil {
		return nil, nil
	}
	state, err := k.decode(p.Snapshot)
	if err != nil {
		return nil, err
	}
	k.packed.remove(group)
	return &held[S]{group: group, state: state, sequence: p.Sequence, base: p.Sequence, count: p.Folded, unsaved: p.unsaved}, nil
}

func (k *Kernel[S]) decode(snapshot Snapshot) (state S, err error) {
	data, err := unpacker().DecodeAll(snapshot.Data, nil)
	if err != nil {
		return state, fmt.Errorf("unpack the state of %s: %w", snapshot.Group, err)
	}
	return k.machine.Decode(data)
}

// rebuild returns a group's state from its latest snapshot and the inputs after it.
func (k *Kernel[S]) rebuild(ctx context.Context, group string, through uint64) (*held[S], error) {
	held, err := k.stored(ctx, group, through)
	if err != nil {
		return nil, err
	}
	if through = k.end(group, through); held.sequence >= through {
		k.unsaved.saved(group)
		return held, nil
	}
	skips, err := k.history.Skipped(ctx, group)
	if err != nil {
		return nil, fmt.Errorf("read the skips of %s: %w", group, err)
	}
	if skips == nil {
		skips = map[uint64]string{}
	}
	for {
		fault, err := k.refold(ctx, held, through, skips)
		if err != nil {
			return nil, err
		}
		if fault == 0 {
			return held, nil
		}
		skips[fault] = "fails when folded again" // it may have changed the state: once more without it
		if held, err = k.stored(ctx, group, through); err != nil {
			return nil, err
		}
	}
}

// end returns the sequence at which the tail of a group that is not in memory can end, at most
// through: its last unsaved input, or one from before the list was kept.
func (k *Kernel[S]) end(group string, through uint64) uint64 {
	if k.tracked == nil {
		return through
	}
	span, _ := k.unsaved.span(group)
	return min(through, max(span.Last, *k.tracked))
}

// refold folds a group's tail onto its latest snapshot, without output. It
// returns the sequence of an input that cannot be folded, 0 if all could. Steps have no
// budget here: each of these inputs was folded within it before, and the skips name those
// that were not, so on a slower machine a state would lose what its output was derived from.
func (k *Kernel[S]) refold(
	ctx context.Context, held *held[S], through uint64, skips map[uint64]string,
) (fault uint64, err error) {
	for record, err := range k.history.Tail(ctx, held.group, held.sequence, through) {
		if err != nil {
			return 0, fmt.Errorf("read the tail of %s after %d: %w", held.group, held.sequence, err)
		}
		sequence := record.Position.Sequence
		if _, skip := skips[sequence]; skip || record.Fault != "" {
			continue
		}
		result := k.guarded(held.state, record.Input)
		if result.fault != "" {
			return sequence, nil
		}
		held.advance(result.state, sequence)
	}
	return 0, nil
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
	case snapshot == nil:
		return fresh, nil
	case snapshot.Version == lostVersion:
		return nil, &lostError{group}
	case snapshot.Version > version:
		return nil, fmt.Errorf("the snapshot of %s has schema version %d, this program reads up to %d: upgrade it", group, snapshot.Version, version)
	case snapshot.Sequence > through:
		return nil, fmt.Errorf("the snapshot of %s is ahead of this owner: %w", group, ErrFenced)
	case snapshot.Version >= cmp.Or(k.beyond.Oldest, version):
		if state, err := k.decode(*snapshot); err == nil {
			return &held[S]{group: group, state: state, sequence: snapshot.Sequence, base: snapshot.Sequence, count: snapshot.Folded}, nil
		}
	}
	k.unsaved.note(group, Span{1, through}) // cannot be read: the stream holds everything
	return fresh, nil
}
