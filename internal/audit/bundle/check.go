package bundle

import (
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// streamCheck follows the chain of one stream.
type streamCheck struct {
	v          *verification
	file       File
	partitions map[int]*partitionCheck
	messages   int
	events     int
}

// partitionCheck follows one partition.
type partitionCheck struct {
	open       []waiting
	head       string // digest of the last checkpoint, "" before the first
	fence      uint64 // its sequence
	last       uint64 // sequence of the last message
	position   engine.Position
	successors []string // keys that a checkpoint named
	batches    int
	broken     bool // a fault in a checkpoint was reported; its successors are not judged by it
}

// waiting is a message whose checkpoint has not come yet.
type waiting struct {
	line     int
	sequence uint64
	hash     [32]byte
	subject  string
	typ      string
}

func (s *streamCheck) fault(line int, sequence uint64, format string, values ...any) {
	s.v.fault(&Fault{File: s.file.Name, Line: line, Sequence: sequence, What: fmt.Sprintf(format, values...)})
}

// take checks the next message.
func (s *streamCheck) take(line int, m proof.Message) error {
	s.messages++
	at, ok := placeOf(m.Subject)
	if !ok || at.Partition >= s.v.bundle.Manifest.Partitions {
		s.fault(line, m.Sequence, "no stage writes on the subject %.80q", m.Subject)
		return nil
	}
	p := s.partitions[at.Partition]
	if p == nil {
		p = &partitionCheck{}
		s.partitions[at.Partition] = p
	}
	if m.Sequence <= p.last {
		s.fault(line, m.Sequence, "out of order: it comes after sequence %d of its partition", p.last)
		return nil
	}
	p.last = m.Sequence
	if at.Kind == subjects.KindCheckpoint {
		s.checkpoint(p, at.Partition, line, m)
		return nil
	}
	s.events++
	s.message(p, at, line, m)
	return nil
}

func (s *streamCheck) message(p *partitionCheck, at subjects.Subject, line int, m proof.Message) {
	typ := m.Header.Get("ce-type")
	switch {
	case !slices.Contains(s.v.bundle.Manifest.Groups, at.Group):
		s.fault(line, m.Sequence, "it belongs to %.80q, which is not in the manifest", at.Group)
	case subjects.Partition(at.Group, s.v.bundle.Manifest.Partitions) != at.Partition:
		s.fault(line, m.Sequence, "its group %.80q belongs to another partition than %d", at.Group, at.Partition)
	case at.Kind != kindSkip && !subjects.Fits(events.Type(typ), m.Subject):
		s.fault(line, m.Sequence, "its type %.80q does not fit its subject", typ)
	}
	if len(p.open) < proof.MaxBatch {
		p.open = append(p.open, waiting{line, m.Sequence, m.Hash(), m.Subject, typ})
	}
}

// checkpoint ends a batch.
func (s *streamCheck) checkpoint(p *partitionCheck, partition, line int, m proof.Message) {
	open := p.open
	p.open = nil
	stage := subjects.StageOf(s.file.Stream)
	c, reason := s.v.checkpointOf(s.file.Stream, stage, partition, &m, p.successors)
	if c == nil {
		s.fault(line, m.Sequence, "%s", reason)
		p.broken = true
		return
	}
	head := proof.Head(m.Data)
	switch {
	case p.broken || p.head == "":
	case c.Previous != p.head:
		s.fault(line, m.Sequence, "the checkpoint names %.16s… as the one before, but that is %.16s…: one of them was edited, or one between them is missing", c.Previous, p.head)
	case c.Fence != p.fence:
		s.fault(line, m.Sequence, "the checkpoint was committed after sequence %d, but is after %d", c.Fence, p.fence)
	}
	if c.Position.Sequence < p.position.Sequence {
		s.fault(line, m.Sequence, "the stage went back from %d to %d of its input", p.position.Sequence, c.Position.Sequence)
	}
	p.head, p.fence, p.position, p.broken = head, m.Sequence, c.Position, false
	p.batches++
	if c.Successor != "" {
		p.successors = append(p.successors, c.Successor)
	}
	s.v.heads[s.file.Stream][headKey{partition, m.Sequence}] = head
	for _, w := range open {
		if !c.Fits(m.Sequence, w.sequence, w.hash) {
			s.fault(w.line, w.sequence, "%s", misfit(c, m.Sequence, w))
		}
	}
	s.link(c, partition, line, m)
}

// misfit says what is wrong with a message that its checkpoint does not prove.
func misfit(c *proof.Checkpoint, own uint64, w waiting) string {
	if uint64(c.Count) >= own || w.sequence < own-uint64(c.Count) {
		return "it is in no batch: the next checkpoint does not account for it"
	}
	for i := range uint64(c.Count) {
		if c.Fits(own, own-uint64(c.Count)+i, w.hash) {
			return fmt.Sprintf("it was committed at %d", own-uint64(c.Count)+i)
		}
	}
	return "its subject, a header or its data is not what was committed"
}

// link compares the head of the source that a checkpoint names with the one here.
func (s *streamCheck) link(c *proof.Checkpoint, partition, line int, m proof.Message) {
	source := subjects.SourceOf(subjects.StageOf(s.file.Stream))
	known := s.v.heads[source]
	if known == nil || c.Position.Anchor == 0 || c.Position.Head == "" {
		return
	}
	if found, here := known[headKey{partition, c.Position.Anchor}]; here && found != c.Position.Head {
		s.fault(line, m.Sequence, "it was made from another %s: the checkpoint at %d there is %.16s…, here it is %.16s…", source, c.Position.Anchor, c.Position.Head, found)
	}
}

// end checks what the file's end shows.
func (s *streamCheck) end() {
	for _, number := range slices.Sorted(maps.Keys(s.partitions)) {
		for _, w := range s.partitions[number].open {
			s.fault(w.line, w.sequence, "the checkpoint that ends its batch is missing")
		}
	}
	if s.messages != s.file.Messages || s.events != s.file.Events {
		s.fault(0, 0, "%d messages with %d events, but the manifest says %d with %d", s.messages, s.events, s.file.Messages, s.file.Events)
	}
}

func (s *streamCheck) report() StreamReport {
	r := StreamReport{Name: s.file.Stream, Events: s.events, Partitions: slices.Sorted(maps.Keys(s.partitions))}
	for _, p := range s.partitions {
		r.Batches += p.batches
	}
	return r
}
