package natsio

import (
	"context"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// covers checks single messages against the checkpoint that follows them, for
// reads that do not see whole batches.
type covers struct {
	store    *store
	verifier verifier
	subject  string // of the checkpoints
	part     int
	known    map[uint64]*Checkpoint // verified, by their sequence
}

func newCovers(s *store, v verifier, partition int) *covers {
	return &covers{
		store: s, verifier: v, part: partition,
		subject: events.CheckpointSubject(v.stage, partition), known: map[uint64]*Checkpoint{},
	}
}

// accepts says whether a message lies in the span of a valid checkpoint.
func (c *covers) accepts(ctx context.Context, m *message) (bool, error) {
	hash := m.hash()
	for own, checkpoint := range c.known {
		if checkpoint.fits(own, m.Sequence, hash) {
			return true, nil
		}
	}
	// In a batch nothing comes between a message and its checkpoint.
	end, err := c.store.next(ctx, c.subject, m.Sequence+1)
	if err != nil || end == nil {
		return false, err
	}
	checkpoint, reason := c.verifier.open(c.part, end.Data)
	if reason != "" || !checkpoint.fits(end.Sequence, m.Sequence, hash) {
		return false, nil
	}
	placed, err := inPlace(ctx, c.store, c.subject, checkpoint, end.Sequence)
	if placed && err == nil {
		if len(c.known) >= 64 {
			clear(c.known)
		}
		c.known[end.Sequence] = checkpoint
	}
	return placed, err
}

// inPlace says whether a checkpoint lies where it was committed: right behind
// its fence among the messages of its subject.
func inPlace(ctx context.Context, s *store, subject string, c *Checkpoint, own uint64) (bool, error) {
	if c.Fence >= own {
		return false, nil
	}
	first, err := s.next(ctx, subject, c.Fence+1)
	if err != nil || first == nil {
		return false, err
	}
	return first.Sequence == own, nil
}

// lastCheckpoint finds the last valid checkpoint below a sequence (0: of all)
// and the sequence of the last message on its subject there, which is the fence
// for the next one: forged messages do not stop a stage. Without any valid one
// the checkpoint is nil.
func lastCheckpoint(ctx context.Context, s *store, v verifier, partition int, below uint64) (c *Checkpoint, at *message, fence uint64, err error) {
	subject := events.CheckpointSubject(v.stage, partition)
	if below == 0 {
		at, err = s.last(ctx, subject)
	} else {
		at, err = s.before(ctx, subject, below)
	}
	for ; at != nil && err == nil; at, err = s.before(ctx, subject, at.Sequence) {
		fence = max(fence, at.Sequence)
		c, reason := v.open(partition, at.Data)
		if reason != "" {
			continue
		}
		placed, err := inPlace(ctx, s, subject, c, at.Sequence)
		if err != nil {
			return nil, nil, 0, err
		}
		if placed {
			return c, at, fence, nil
		}
	}
	return nil, nil, fence, err
}
