// Package memory runs machines without a broker. [Stream] implements the
// engine's ports, with the fence, so that a [engine.Runner] works on it as on
// NATS. [Chain] drives the engine's kernel directly: one event in, the decisions
// of all stages out, in the caller's goroutine, with timers that expire as the
// events' own times pass. `scan` is a chain with an adapter in front.
package memory

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Stream is a stream in memory: the [engine.Source] of the stage that reads it
// and the [engine.Sink] of the stage that writes it. It is safe for concurrent
// use. Everything is kept until the stream itself is dropped.
type Stream struct {
	name events.Stream

	mu         sync.Mutex
	changed    chan struct{} // closed and replaced at each change
	ended      bool
	records    []engine.Record // by sequence - 1
	partitions []partition
	letters    map[string]engine.DeadLetter
}

// partition is what a stage has committed in one partition of the stream.
type partition struct {
	fence     int // commits so far; the next one must know it
	position  engine.Position
	written   []engine.Message
	skips     []engine.Skip
	snapshots map[string]engine.Snapshot
}

// NewStream returns an empty stream of so many partitions.
func NewStream(name events.Stream, partitions int) *Stream {
	s := &Stream{name: name, partitions: make([]partition, partitions), letters: map[string]engine.DeadLetter{}, changed: make(chan struct{})}
	for i := range s.partitions {
		s.partitions[i].snapshots = map[string]engine.Snapshot{}
	}
	return s
}

// Append adds an event as a publisher does and returns its sequence, from 1.
func (s *Stream) Append(ev events.Event) uint64 {
	return s.AppendRecord(engine.Record{Group: ev.Group(), Input: step.Input{Event: ev}})
}

// AppendRecord adds a record with the group it names, for example one that
// could not be decoded, and returns its sequence.
func (s *Stream) AppendRecord(record engine.Record) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.append(record)
	s.announce()
	return uint64(len(s.records))
}

func (s *Stream) append(record engine.Record) {
	record.Stream = string(s.name)
	record.Position = engine.Position{Sequence: uint64(len(s.records) + 1)}
	s.records = append(s.records, record)
}

func (s *Stream) announce() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// End makes readings that have read everything return io.EOF instead of waiting
// for more. What is appended later is still read by later readings.
func (s *Stream) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.announce()
}

// Written yields the events that were committed in a partition, in order.
func (s *Stream) Written(_ context.Context, partition int) iter.Seq2[engine.Message, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	written := slices.Clip(s.partitions[partition].written)
	return func(yield func(engine.Message, error) bool) {
		for _, message := range written {
			if !yield(message, nil) {
				return
			}
		}
	}
}

// DeadLetters returns the letters of skipped inputs, by "stage sequence".
func (s *Stream) DeadLetters() map[string]engine.DeadLetter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.letters)
}

// Position returns how far the stage that writes a partition has read its source.
func (s *Stream) Position(partition int) engine.Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.partitions[partition].position
}

// Encode returns the message by which an event is stored.
func (s *Stream) Encode(_ int, group string, ev events.Event) (engine.Message, error) {
	return engine.Encode(s.name, len(s.partitions), group, ev)
}

// Read implements [engine.Source].
func (s *Stream) Read(_ context.Context, partition int, from engine.Position) (engine.Reading, error) {
	return &reading{stream: s, partition: partition, at: from.Sequence}, nil
}

// Tail implements [engine.Source].
func (s *Stream) Tail(_ context.Context, _ int, group string, after, through uint64) iter.Seq2[engine.Record, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	records := s.records
	return func(yield func(engine.Record, error) bool) {
		if through > uint64(len(records)) {
			yield(engine.Record{}, fmt.Errorf("%s ends at %d, not at %d", s.name, len(records), through))
			return
		}
		for at := after; at < through; at++ {
			if records[at].Group == group && !yield(records[at], nil) {
				return
			}
		}
	}
}

// Options implements [engine.Source]: nothing is lost.
func (s *Stream) Options() engine.SourceOptions { return engine.SourceOptions{Groups: s.groups} }

func (s *Stream) groups(
	_ context.Context, partition int, after, through uint64,
) (map[string]engine.Span, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	spans := map[string]engine.Span{}
	for at := after; at < min(through, uint64(len(s.records))); at++ {
		group := s.records[at].Group
		if subjects.Partition(group, len(s.partitions)) != partition {
			continue
		}
		span, known := spans[group]
		if !known {
			span.First = at + 1
		}
		span.Last = at + 1
		spans[group] = span
	}
	return spans, 1, nil
}

// reading is an ordered read of one partition.
type reading struct {
	stream    *Stream
	partition int
	at        uint64 // sequence of the last record seen
}

// Ready implements [engine.Reading].
func (r *reading) Ready() (engine.Record, bool, error) {
	r.stream.mu.Lock()
	defer r.stream.mu.Unlock()
	for r.at < uint64(len(r.stream.records)) {
		record := r.stream.records[r.at]
		r.at++
		if subjects.Partition(record.Group, len(r.stream.partitions)) == r.partition {
			return record, true, nil
		}
	}
	return engine.Record{}, false, nil
}

// Next implements [engine.Reading].
func (r *reading) Next(ctx context.Context) (engine.Record, error) {
	for {
		r.stream.mu.Lock()
		changed, ended := r.stream.changed, r.stream.ended
		r.stream.mu.Unlock()
		if record, ok, err := r.Ready(); ok || err != nil {
			return record, err
		}
		if ended {
			return engine.Record{}, io.EOF
		}
		select {
		case <-ctx.Done():
			return engine.Record{}, ctx.Err()
		case <-changed:
		}
	}
}

// Close implements [engine.Reading].
func (r *reading) Close() {}
