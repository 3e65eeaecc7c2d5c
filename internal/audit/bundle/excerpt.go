package bundle

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// excerpt writes what a bundle needs of one stream.
type excerpt struct {
	out        io.Writer
	groups     []string
	partitions map[int]*span
	file       *File
}

// span is how far a partition was written. Checkpoints after the last batch with a message
// of the groups are not needed; those between two such batches link them.
type span struct {
	open    []proof.Message // of the batch whose checkpoint has not come
	begun   bool
	pending [][]byte // checkpoints without messages of the groups
}

// stream writes the excerpt of the i-th stream through a sequence, 0 for all of it.
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
	x := &excerpt{out: file, groups: w.Manifest.Groups, partitions: map[int]*span{}, file: &File{}}
	if !facts.Missing {
		err = w.from.Each(ctx, name, through, func(m proof.Message) error {
			w.counted()
			kept, err := x.take(m)
			if kept {
				w.identity(m)
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
	return closed
}

// take reads the next message; kept means that it is one of the groups'.
func (x *excerpt) take(m proof.Message) (kept bool, err error) {
	at, ok := placeOf(m.Subject)
	if !ok {
		return false, nil
	}
	s := x.partitions[at.Partition]
	if s == nil {
		s = &span{}
		x.partitions[at.Partition] = s
	}
	switch at.Kind {
	case subjects.KindCheckpoint:
		return false, x.checkpoint(s, m)
	case subjects.KindSnapshot:
		return false, nil // a state, which a replay derives again
	}
	if !slices.Contains(x.groups, at.Group) {
		return false, nil
	}
	if len(s.open) < proof.MaxBatch {
		s.open = append(s.open, m)
	}
	return true, nil
}

// checkpoint ends a batch: with messages of the groups it is written with them.
func (x *excerpt) checkpoint(s *span, m proof.Message) error {
	text, err := encodeLine(m)
	if err != nil {
		return err
	}
	if len(s.open) == 0 {
		if s.begun {
			s.pending = append(s.pending, text)
		}
		return nil
	}
	s.begun = true
	for _, earlier := range s.pending {
		if err := x.write(earlier); err != nil {
			return err
		}
	}
	for _, of := range s.open {
		line, err := encodeLine(of)
		if err != nil {
			return err
		}
		if err := x.write(line); err != nil {
			return err
		}
		x.file.Events++
	}
	s.pending, s.open = nil, nil
	return x.write(text)
}

func (x *excerpt) write(text []byte) error {
	x.file.Messages++
	_, err := x.out.Write(text)
	return err
}
