package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"
)

// maxStateBytes bounds what a snapshot may unpack to.
const maxStateBytes = 256 << 20

var (
	packer, _   = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithAllLitEntropyCompression(true))
	unpacker, _ = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxStateBytes))
)

func compress(data []byte) []byte { return packer.EncodeAll(data, nil) }

// state is a group's state through a source sequence, from memory or rebuilt.
func (a *attempt[S]) state(ctx context.Context, group string, through uint64) (*held[S], error) {
	if held := a.states.get(group); held != nil {
		return held, nil
	}
	began := time.Now()
	skips, err := a.skips(ctx, group)
	if err != nil {
		return nil, err
	}
	for {
		held, fault, err := a.rebuild(ctx, group, through, skips)
		if err != nil {
			return nil, err
		}
		if fault != 0 { // the half changed state is lost: once more without it
			skips[fault] = "fails when folded again"
			continue
		}
		held.size = a.Machine.Size(held.state)
		a.Observer.Rebuilt(a.partition, held.unsaved, time.Since(began))
		return a.states.put(held), nil
	}
}

// rebuild folds a group's tail onto its latest snapshot, without output. It
// returns the sequence of an input that cannot be folded, 0 if all could.
func (a *attempt[S]) rebuild(ctx context.Context, group string, through uint64, skips map[uint64]string) (*held[S], uint64, error) {
	held, err := a.stored(ctx, group, through)
	if err != nil {
		return nil, 0, err
	}
	for record, err := range a.Source.Tail(ctx, a.partition, group, held.sequence, through) {
		if err != nil {
			return nil, 0, fmt.Errorf("read the tail of %s after %d: %w", group, held.sequence, err)
		}
		sequence := record.Position.Sequence
		if _, skip := skips[sequence]; skip || record.Fault != "" {
			continue
		}
		next, _, fault := a.step(held.state, record.Input)
		if fault != "" {
			return nil, sequence, nil
		}
		held.state, held.sequence = next, sequence
		held.count++
		if held.unsaved++; held.unsaved == 1 {
			held.dirty = time.Now()
		}
	}
	return held, 0, nil
}

// stored is a group's latest snapshot, or a new state. An older version is
// rebuilt from the stream, a newer one refused (EV-11).
func (a *attempt[S]) stored(ctx context.Context, group string, through uint64) (*held[S], error) {
	snapshot := a.batch.snapshot(group)
	if snapshot == nil {
		var err error
		if snapshot, err = a.log.Snapshot(ctx, group); err != nil {
			return nil, fmt.Errorf("read the snapshot of %s: %w", group, err)
		}
	}
	fresh := &held[S]{group: group, state: a.Machine.New(group)}
	switch version := a.Machine.Version(); {
	case snapshot == nil || snapshot.Version < version:
		return fresh, nil
	case snapshot.Version > version:
		return nil, fmt.Errorf("the snapshot of %s has schema version %d, this program reads up to %d: upgrade it", group, snapshot.Version, version)
	case snapshot.Sequence > through:
		return nil, fmt.Errorf("the snapshot of %s is ahead of this owner: %w", group, ErrFenced)
	}
	data, err := unpacker.DecodeAll(snapshot.Data, nil)
	if err != nil {
		return fresh, nil // damaged: the stream has it all
	}
	state, err := a.Machine.Decode(data)
	if err != nil {
		return fresh, nil
	}
	return &held[S]{group: group, state: state, sequence: snapshot.Sequence, count: snapshot.Folded}, nil
}

// skips lists the group's inputs that were passed over, committed or not yet.
func (a *attempt[S]) skips(ctx context.Context, group string) (map[uint64]string, error) {
	skips, err := a.log.Skipped(ctx, group)
	if err != nil {
		return nil, fmt.Errorf("read the skips of %s: %w", group, err)
	}
	if skips == nil {
		skips = map[uint64]string{}
	}
	for _, skip := range a.batch.Skips {
		if skip.Group == group {
			skips[skip.Sequence] = skip.Reason
		}
	}
	return skips, nil
}
