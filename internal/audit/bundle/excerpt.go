package bundle

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// excerpt writes the part of one stream that a bundle needs.
type excerpt struct {
	out        io.Writer
	groups     []string
	partitions map[int]*span
	file       *File
	keys       successions
}

// span tracks how far a partition was written. Checkpoints after the last batch with a message of the
// groups are not needed; those between two such batches link them, and those up to the first anchored head
// after the last show that the anchor belongs to this chain.
type span struct {
	open  []proof.Message // messages of the batch whose checkpoint has not been read yet
	begun bool
	last  uint64 // sequence of the groups' last message, or of the anchored head after it
}

// stream writes the excerpt of the i-th stream up to and including a sequence; 0 means all of it.
func (w *writing) stream(ctx context.Context, i int, through uint64) error {
	name := Streams[i]
	facts, err := w.from.Stream(ctx, name)
	if err != nil {
		return fmt.Errorf("look up %s: %w", name, err)
	}
	if name != events.StreamDecisions || through == 0 {
		through = facts.Last
	}
	file, err := w.create(fileOf(name))
	if err != nil {
		return err
	}
	x := &excerpt{out: file, groups: w.Manifest.Groups, partitions: map[int]*span{}, file: &File{}, keys: successions{named: map[int]bool{}}}
	if !facts.Missing {
		err = w.from.Each(ctx, name, through, func(m proof.Message) error {
			w.counted()
			x.look(m)
			return nil
		})
	}
	x.extend(name, w.anchored)
	if !facts.Missing && err == nil {
		err = w.from.Each(ctx, name, through, func(m proof.Message) error {
			w.counted()
			kept, err := x.take(m)
			if kept {
				w.recorded.add(m)
				if m.Time.After(w.Manifest.Through) {
					w.Manifest.Through = m.Time.UTC()
				}
			}
			return err
		})
	}
	made, closed := file.done()
	if err != nil {
		return fmt.Errorf("export %s: %w", name, err)
	}
	made.Stream, made.Messages, made.Events = name, x.file.Messages, x.file.Events
	w.Manifest.Files = append(w.Manifest.Files, made)
	w.successions[name] = x.keys.records
	return closed
}

// look finds the groups' last messages before anything is written.
func (x *excerpt) look(m proof.Message) {
	at, ok := placeOf(m.Subject)
	if !ok || !x.wants(at) {
		return
	}
	if x.partitions[at.Partition] == nil {
		x.partitions[at.Partition] = &span{}
	}
	x.partitions[at.Partition].last = m.Sequence
}

// extend moves the end of each partition to the first anchored head that is not before its last message.
func (x *excerpt) extend(stream events.Stream, heads []chain.Head) {
	ends := map[int]uint64{}
	for _, h := range heads {
		s := x.partitions[h.Partition]
		if end := ends[h.Partition]; h.Stream == stream && s != nil && h.Sequence >= s.last && (end == 0 || h.Sequence < end) {
			ends[h.Partition] = h.Sequence
		}
	}
	for partition, end := range ends {
		x.partitions[partition].last = end
	}
}

// wants reports whether a message belongs to the groups. A snapshot does not: it is state, which a replay
// derives again.
func (x *excerpt) wants(at subjects.Subject) bool {
	return at.Kind != subjects.KindCheckpoint && at.Kind != subjects.KindSnapshot && slices.Contains(x.groups, at.Group)
}

// take reads the next message; kept reports whether it belongs to the groups.
func (x *excerpt) take(m proof.Message) (kept bool, err error) {
	at, ok := placeOf(m.Subject)
	if ok && at.Kind == subjects.KindCheckpoint {
		x.keys.take(at.Partition, m)
	}
	s := x.partitions[at.Partition]
	switch {
	case !ok || s == nil:
		return false, nil
	case at.Kind == subjects.KindCheckpoint:
		return false, x.checkpoint(s, m)
	case !x.wants(at):
		return false, nil
	}
	if len(s.open) < proof.MaxBatch {
		s.open = append(s.open, m)
	}
	return true, nil
}

// checkpoint ends a batch, and writes it after the messages if any belong to the groups.
func (x *excerpt) checkpoint(s *span, m proof.Message) error {
	s.begun = s.begun || len(s.open) > 0
	if !s.begun || len(s.open) == 0 && m.Sequence > s.last {
		return nil
	}
	for _, of := range append(s.open, m) {
		line, err := encodeLine(of)
		if err != nil {
			return err
		}
		x.file.Messages++
		if _, err := x.out.Write(line); err != nil {
			return err
		}
	}
	x.file.Events += len(s.open)
	s.open = nil
	return nil
}
