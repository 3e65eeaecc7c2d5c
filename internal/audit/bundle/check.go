package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/strict"
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
	last       uint64    // sequence of the last message
	time       time.Time // the latest time at which a message was stored
}

// partitionCheck follows one partition.
type partitionCheck struct {
	open     []waiting
	first    uint64 // sequence of the first message
	head     string // digest of the last checkpoint, "" before the first
	fence    uint64 // its sequence
	position engine.Position
	keys     chain.Succession
	known    bool    // whether it is known who signed before the first message
	records  records // checkpoints up to here in which a key named its successor
	uses     uses
	batches  int
	broken   bool // a fault in a checkpoint was reported; its successors are not compared with it
}

// waiting is a message whose checkpoint has not been read yet.
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
		p = &partitionCheck{first: m.Sequence, uses: uses{}}
		s.partitions[at.Partition] = p
		s.preload(p, at.Partition)
	}
	if m.Sequence <= s.last {
		s.fault(line, m.Sequence, "out of order: it comes after sequence %d", s.last)
		return nil
	}
	s.last = m.Sequence
	if at.Kind != subjects.KindCheckpoint {
		s.v.found.add(s.file.Stream, at, m)
	}
	if m.Time.Before(s.time) { // a stream is ordered by time
		m.Time = s.time
	}
	s.time = m.Time
	s.headers(line, m, at.Kind == subjects.KindCheckpoint)
	if at.Kind == subjects.KindCheckpoint {
		s.checkpoint(p, at.Partition, line, m)
		return nil
	}
	s.events++
	s.message(p, at, line, m)
	return nil
}

// headers rejects headers that prove nothing: any header of a checkpoint, and the broker's own, which only
// earlier builds exported.
func (s *streamCheck) headers(line int, m proof.Message, ends bool) {
	older := s.v.records[s.file.Stream] == nil
	for name := range m.Header {
		if is := brokers(name); is && !older || ends && !is {
			s.fault(line, m.Sequence, "a header that nothing proves: %.80q", name)
		}
	}
}

func (s *streamCheck) message(p *partitionCheck, at subjects.Subject, line int, m proof.Message) {
	typ := m.Header.Get("ce-type")
	switch {
	case !slices.Contains(s.v.bundle.Manifest.Groups, at.Group):
		s.fault(line, m.Sequence, "it belongs to %.80q, which is not in the manifest", at.Group)
	case subjects.Partition(at.Group, s.v.bundle.Manifest.Partitions) != at.Partition:
		s.fault(line, m.Sequence, "its group %.80q belongs to another partition than %d", at.Group, at.Partition)
	case at.Kind != kindSkip && !subjects.Fits(events.Type(typ), m.Subject):
		s.fault(line, m.Sequence, "its type %.80q does not match its subject", typ)
	}
	if len(p.open) < proof.MaxBatch {
		p.open = append(p.open, waiting{line, m.Sequence, m.Hash(), m.Subject, typ})
	}
}

// checkpoint ends a batch.
func (s *streamCheck) checkpoint(p *partitionCheck, partition, line int, m proof.Message) {
	open := p.open
	p.open = nil
	c, reason := s.v.checkpointOf(s.file.Stream, partition, &m, p.records)
	if c == nil {
		s.fault(line, m.Sequence, "%s", reason)
		p.broken = true
		return
	}
	digest := proof.Head(m.Data)
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
	named := s.link(c, partition, line, m)
	if source := s.v.heads[subjects.SourceOf(c.Stage)][headKey{partition, named}]; m.Time.Before(source.stored) {
		m.Time, s.time = source.stored, source.stored // nor before what the stage had read
	}
	if !s.v.options.content {
		s.signed(p, c, line, m, digest)
	}
	p.head, p.fence, p.position, p.broken = digest, m.Sequence, c.Position, false
	p.batches++
	for _, w := range open {
		if !c.Fits(m.Sequence, w.sequence, w.hash) {
			s.fault(w.line, w.sequence, "%s", misfit(c, m.Sequence, w))
		}
	}
	h := head{digest: digest, source: named, stored: m.Time}
	if u := p.uses[c.Key]; u != nil {
		h.key = u.key // share one string
	}
	s.v.heads[s.file.Stream][headKey{partition, m.Sequence}] = h
}

// misfit explains why a checkpoint does not prove a message, "" if it does.
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

// link compares the head of the source that a checkpoint names with the one in the bundle, and returns its
// place if they agree.
func (s *streamCheck) link(c *proof.Checkpoint, partition, line int, m proof.Message) uint64 {
	source := subjects.SourceOf(subjects.StageOf(s.file.Stream))
	known := s.v.heads[source]
	if known == nil || c.Position.Anchor == 0 || c.Position.Head == "" {
		return 0
	}
	found, here := known[headKey{partition, c.Position.Anchor}]
	switch {
	case !here:
		return 0
	case found.digest != c.Position.Head:
		s.fault(line, m.Sequence, "it was made from another %s: the checkpoint at %d there is %.16s…, here it is %.16s…", source, c.Position.Anchor, c.Position.Head, found.digest)
	}
	return c.Position.Anchor
}

// end checks what remains open at the end of the file.
func (s *streamCheck) end() {
	s.v.uses[s.file.Stream] = map[int]uses{}
	for _, number := range slices.Sorted(maps.Keys(s.partitions)) {
		p := s.partitions[number]
		for _, w := range p.open {
			s.fault(w.line, w.sequence, "the checkpoint that ends its batch is missing")
		}
		s.misplaced(number, p)
		s.v.uses[s.file.Stream][number] = p.uses
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

// maxLine limits the size of a message in a bundle, in bytes.
const maxLine = 64 << 20

// line is a message as a line of JSON.
type line struct {
	Sequence uint64              `json:"sequence"`
	Time     time.Time           `json:"time"`
	Subject  string              `json:"subject"`
	Header   map[string][]string `json:"header,omitempty"`
	Data     string              `json:"data,omitempty"`
	Bytes    []byte              `json:"bytes,omitempty"` // base64, for data that is not UTF-8
}

func encodeLine(m proof.Message) ([]byte, error) {
	l := line{Sequence: m.Sequence, Time: m.Time.UTC(), Subject: m.Subject, Header: maps.Clone(m.Header)}
	maps.DeleteFunc(l.Header, func(name string, _ []string) bool { return brokers(name) })
	if utf8.Valid(m.Data) {
		l.Data = string(m.Data)
	} else {
		l.Bytes = m.Data
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(l); err != nil {
		return nil, fmt.Errorf("encode message %d: %w", m.Sequence, err)
	}
	return out.Bytes(), nil
}

func decodeLine(text []byte) (proof.Message, error) {
	var l line
	if err := strict.Decode(text, &l); err != nil {
		return proof.Message{}, fmt.Errorf("read a message: %w", err)
	}
	data := l.Bytes
	switch {
	case len(data) == 0:
		data = []byte(l.Data)
	case l.Data != "" || utf8.Valid(data):
		return proof.Message{}, errors.New("read a message: its data is repeated, or not in the canonical form")
	}
	return proof.Message{Sequence: l.Sequence, Time: l.Time, Subject: l.Subject, Header: l.Header, Data: data}, nil
}

// brokers reports whether a header is set by the broker; marks do not cover those.
func brokers(name string) bool { return strings.HasPrefix(name, "Nats-") }

// kindSkip is a stage's record of an input that it skipped: skip.STAGE.PARTITION.GROUP.
const kindSkip subjects.SubjectKind = "skip"

// placeOf parses the subjects that stages write; ok is false for any other subject.
func placeOf(subject string) (s subjects.Subject, ok bool) {
	if rest, is := strings.CutPrefix(subject, "skip."); is {
		s, err := subjects.ParseSubject("snap." + rest)
		s.Kind = kindSkip
		return s, err == nil
	}
	s, err := subjects.ParseSubject(subject)
	return s, err == nil && s.Kind != subjects.KindPublished
}
