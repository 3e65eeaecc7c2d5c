package proof

import (
	"context"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Covers checks single messages against the checkpoint that follows them, for
// reads that do not see whole batches.
type Covers struct {
	store    *Store
	verifier Verifier
	subject  string // of the checkpoints
	part     int
	known    map[uint64]*Checkpoint // verified, by their sequence
	last     uint64                 // of them
}

// NewCovers checks the messages of one partition.
func NewCovers(s *Store, v Verifier, partition int) *Covers {
	return &Covers{
		store: s, verifier: v, part: partition,
		subject: subjects.CheckpointSubject(v.Stage, partition), known: map[uint64]*Checkpoint{},
	}
}

// Finding is what is known of a message.
type Finding int

// Findings. A message is undecided until the next message on its partition's
// checkpoint subject arrives.
const (
	Undecided Finding = iota
	Proven
	Refuted
)

// Accepts reports whether a message is in the span of a valid checkpoint.
func (c *Covers) Accepts(ctx context.Context, m *Message) (bool, error) {
	finding, err := c.Find(ctx, m)
	return finding == Proven, err
}

// Find checks whether a message is in the span of a valid checkpoint, as far as
// the stream is known.
func (c *Covers) Find(ctx context.Context, m *Message) (Finding, error) {
	hash := m.Hash()
	for own, checkpoint := range c.known {
		if checkpoint.Fits(own, m.Sequence, hash) {
			return Proven, nil
		}
	}
	// In a batch nothing comes between a message and its checkpoint.
	end, fence, err := c.after(ctx, m.Sequence)
	if err != nil || end == nil {
		return Undecided, err
	}
	checkpoint, reason := c.verifier.Read(c.part, end)
	if reason != "" || !checkpoint.Fits(end.Sequence, m.Sequence, hash) {
		return Refuted, nil
	}
	placed := checkpoint.Fence == fence
	if fence == 0 {
		placed, err = inPlace(ctx, c.store, c.subject, checkpoint, end.Sequence)
	}
	if err != nil || !placed {
		return Refuted, err
	}
	if len(c.known) >= maxKnown {
		clear(c.known)
	}
	c.known[end.Sequence], c.last = checkpoint, max(c.last, end.Sequence)
	return Proven, nil
}

// after returns the first message on the checkpoints' subject after a sequence, nil
// if there is none yet, and the sequence of the one before it, 0 if that is not
// known. A caller that follows a partition batch by batch needs one request each.
func (c *Covers) after(ctx context.Context, sequence uint64) (end *Message, fence uint64, err error) {
	if c.last > 0 && c.last <= sequence {
		end, err = c.store.Next(ctx, c.subject, c.last+1)
		if err != nil || end == nil || end.Sequence > sequence {
			return end, c.last, err
		}
	}
	end, err = c.store.Next(ctx, c.subject, sequence+1)
	return end, 0, err
}

// maxKnown bounds the checkpoints that are remembered.
const maxKnown = 64

// inPlace reports whether a checkpoint is where it was committed: directly after
// its fence among the messages of its subject.
func inPlace(ctx context.Context, s *Store, subject string, c *Checkpoint, own uint64) (bool, error) {
	if c.Fence >= own {
		return false, nil
	}
	first, err := s.Next(ctx, subject, c.Fence+1)
	if err != nil || first == nil {
		return false, err
	}
	return first.Sequence == own, nil
}

// LastCheckpoint finds the last valid checkpoint below a sequence (0: of all)
// and the sequence of the last message on its subject there, which is the fence
// for the next one: forged messages do not stop a stage. Without any valid one
// the checkpoint is nil.
func LastCheckpoint(
	ctx context.Context, s *Store, v Verifier, partition int, below uint64,
) (c *Checkpoint, at *Message, fence uint64, err error) {
	subject := subjects.CheckpointSubject(v.Stage, partition)
	if below == 0 {
		at, err = s.Last(ctx, subject)
	} else {
		at, err = s.Before(ctx, subject, below)
	}
	for ; at != nil && err == nil; at, err = s.Before(ctx, subject, at.Sequence) {
		fence = max(fence, at.Sequence)
		c, reason := v.Read(partition, at)
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
