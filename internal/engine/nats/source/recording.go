package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Recording returns the past of a stage for [engine.Replay]: what it read up to its last
// checkpoints, and what it committed. INPUT must still hold what ingest read. What the stage
// commits after the call is not part of it.
func Recording(ctx context.Context, b *natsengine.Broker, name string) (engine.Recording, error) {
	source, err := Of(b, name)
	if err != nil {
		return nil, err
	}
	stream, err := natsengine.StreamOf(name)
	if err != nil {
		return nil, err
	}
	store, err := b.Store(ctx, stream)
	if err != nil {
		return nil, err
	}
	r := &recording{
		Source: source, broker: b, stage: name, stream: stream, store: store, ctx: ctx,
		ends: make([]engine.Position, b.Topology().Partitions), until: make([]uint64, b.Topology().Partitions),
	}
	for partition := range r.ends {
		last, at, _, err := proof.LastCheckpoint(ctx, store, b.Verifier(name), partition, 0)
		if err != nil {
			return nil, fmt.Errorf("find where the recording of %s partition %d ends: %w", name, partition, err)
		}
		if last != nil {
			r.ends[partition], r.until[partition] = last.Position, at.Sequence
		}
		if r.ends[partition].Sequence > 0 {
			r.whole = append(r.whole, partition)
		}
	}
	return r, nil
}

type recording struct {
	engine.Source
	broker *natsengine.Broker
	stage  string
	stream events.Stream
	store  *proof.Store
	ctx    context.Context // of all readings
	ends   []engine.Position
	until  []uint64 // sequences of the last checkpoints

	whole   []int // partitions that are read together; empty: each by itself
	once    sync.Once
	in, out *split
	err     error
}

// Options implements [engine.Source]: a replay saves nothing, so it needs no list of groups.
func (r *recording) Options() engine.SourceOptions { return engine.SourceOptions{} }

// Narrow implements [engine.Recording]: one partition is read by itself.
func (r *recording) Narrow(int) { r.whole = nil }

// Close implements [engine.Recording].
func (r *recording) Close() {
	r.in.end()
	r.out.end()
}

// shared opens, once, the readings that all partitions share.
func (r *recording) shared() error {
	r.once.Do(func() {
		if len(r.whole) < 2 {
			return
		}
		source := subjects.SourceOf(r.stage)
		if r.in, r.err = openSplit(r.ctx, r.broker, source, r.whole); r.err == nil {
			r.out, r.err = openSplit(r.ctx, r.broker, r.stream, r.whole)
		}
	})
	return r.err
}

// openSplit starts to read a stream from its beginning for several partitions.
func openSplit(ctx context.Context, b *natsengine.Broker, stream events.Stream, partitions []int) (*split, error) {
	feed, err := read.Follow(ctx, b, stream, nil, 1)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, feed.Stop)
	return newSplit(feed, partitions, func(ctx context.Context, partition int, from uint64) (read.Messages, error) {
		filters := []string{topology.InputFilter(partition, "*")}
		if stage := subjects.StageOf(stream); stage != "" {
			filters = read.PartitionFilters(stream, partition)
		}
		return read.Follow(ctx, b, stream, filters, from)
	}), nil
}

func (r *recording) Encode(_ int, group string, ev events.Event) (engine.Message, error) {
	return commit.Encode(r.broker, r.stream, group, ev)
}

// Written yields what the stage committed in a partition.
func (r *recording) Written(ctx context.Context, partition int) iter.Seq2[engine.Message, error] {
	return func(yield func(engine.Message, error) bool) {
		if err := r.shared(); err != nil {
			yield(engine.Message{}, err)
			return
		}
		stopped := errors.New("stopped")
		err := read.All(ctx, r.broker, read.Options{Stage: r.stage, Partition: partition, From: r.out.take(partition), Raw: true}, func(a read.Accepted) error {
			if a.Position.Sequence > r.until[partition] { // was committed since
				return stopped
			}
			if !yield(engine.Message{Subject: a.Subject, Header: a.Header, Data: a.Data}, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			yield(engine.Message{}, err)
		}
	}
}

// Read reads the source up to where the stage has consumed it, and skips what the stage
// skipped.
func (r *recording) Read(ctx context.Context, partition int, from engine.Position) (engine.Reading, error) {
	if r.ends[partition].Sequence <= from.Sequence {
		return ended{}, nil
	}
	until, err := r.last(ctx, partition)
	if err != nil {
		return nil, err
	}
	if until <= from.Sequence {
		return ended{}, nil
	}
	inner, err := r.read(ctx, partition, from)
	if err != nil {
		return nil, err
	}
	switch inner := inner.(type) {
	case *inputReading:
		inner.until = until
	case *derivedReading:
		inner.reader.Until(until)
	}
	covers := proof.NewCovers(r.store, r.broker.Verifier(r.stage), partition)
	skipped := func(ctx context.Context, group string) (map[uint64]string, error) {
		return commit.Skipped(ctx, r.store, covers, topology.SkipSubject(r.stage, partition, group), group)
	}
	return &recorded{Reading: inner, skipped: skipped, end: r.ends[partition].Sequence, skips: map[string]map[uint64]string{}}, nil
}

// last returns the sequence of the last message of the source that can become a record, 0 if
// there is none. If what the stage consumed last was removed, no record marks the end.
func (r *recording) last(ctx context.Context, partition int) (uint64, error) {
	source := subjects.SourceOf(r.stage)
	store, err := r.broker.Store(ctx, source)
	if err != nil {
		return 0, err
	}
	filter := topology.InputFilter(partition, "*")
	if stage := subjects.StageOf(source); stage != "" {
		filter = subjects.CheckpointSubject(stage, partition) // nothing after it is accepted
	}
	m, err := store.Last(ctx, filter)
	if m == nil || err != nil {
		return 0, err
	}
	return m.Sequence, nil
}

// read reads the source, together with the other partitions if it starts at the beginning.
func (r *recording) read(ctx context.Context, partition int, from engine.Position) (engine.Reading, error) {
	if err := r.shared(); err != nil {
		return nil, err
	}
	var part read.Messages
	if from == (engine.Position{}) {
		part = r.in.take(partition)
	}
	if part == nil {
		return r.Source.Read(ctx, partition, from)
	}
	source := subjects.SourceOf(r.stage)
	if source == events.StreamInput {
		return &inputReading{feed: part}, nil
	}
	reader, err := read.Open(ctx, r.broker, read.Options{Stage: subjects.StageOf(source), Partition: partition, From: part})
	if err != nil {
		return nil, err
	}
	return &derivedReading{reader: reader}, nil
}

type ended struct{}

func (ended) Next(context.Context) (engine.Record, error) { return engine.Record{}, io.EOF }
func (ended) Ready() (engine.Record, bool, error)         { return engine.Record{}, false, io.EOF }
func (ended) Close()                                      {}

type recorded struct {
	engine.Reading
	skipped func(ctx context.Context, group string) (map[uint64]string, error)
	end     uint64
	over    bool
	skips   map[string]map[uint64]string // by group
}

func (r *recorded) Next(ctx context.Context) (engine.Record, error) {
	if r.over {
		return engine.Record{}, io.EOF
	}
	record, err := r.Reading.Next(ctx)
	if err != nil {
		return record, err
	}
	return r.mark(ctx, record)
}

func (r *recorded) Ready() (engine.Record, bool, error) {
	if r.over {
		return engine.Record{}, false, nil
	}
	record, ok, err := r.Reading.Ready()
	if !ok || err != nil {
		return record, ok, err
	}
	record, err = r.mark(context.Background(), record)
	return record, err == nil, err
}

// mark sets the recorded reason of a skipped record, and ends the reading after the last one.
func (r *recorded) mark(ctx context.Context, record engine.Record) (engine.Record, error) {
	if record.Position.Sequence > r.end { // came after the last checkpoint
		r.over = true
		return engine.Record{}, io.EOF
	}
	r.over = record.Position.Sequence == r.end
	if record.Idle || record.Fault != "" {
		return record, nil
	}
	if r.skips[record.Group] == nil {
		skips, err := r.skipped(ctx, record.Group)
		if err != nil {
			return record, fmt.Errorf("read the skips of %s: %w", record.Group, err)
		}
		r.skips[record.Group] = skips
	}
	record.Skip = r.skips[record.Group][record.Position.Sequence]
	return record, nil
}
