// Package commit writes what a stage decides: the [engine.Sink] of a stream. Outputs, skips,
// snapshots and the next checkpoint go into one atomic batch, which the broker accepts only if
// the previous checkpoint is still the last (the fence). The partitions of a process share
// batches.
package commit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Headers of a snapshot.
const (
	headerVersion  = "Scaffoldwatch-Version"
	headerSequence = "Scaffoldwatch-Sequence"
	headerFolded   = "Scaffoldwatch-Folded"
)

// roomForHeaders is reserved in a message for headers that the broker adds.
const roomForHeaders = 4 << 10

// sink is the stream that a stage writes.
type sink struct {
	broker    *natsengine.Broker
	stage     string
	stream    events.Stream
	committer *committer // of all partitions
}

func newSink(b *natsengine.Broker, stage string, stream events.Stream) *sink {
	return &sink{broker: b, stage: stage, stream: stream, committer: &committer{js: b.JetStream()}}
}

// Open finds the last valid checkpoint. A forged one after it does not stop the
// stage: the fence is the last message on the subject, valid or not.
func (s *sink) Open(ctx context.Context, partition int) (engine.Log, error) {
	l, last, err := s.open(ctx, partition)
	if err != nil {
		return nil, err
	}
	if err := replaced(s.broker, last); err != nil {
		return nil, &engine.PermanentError{Err: err}
	}
	return l, nil
}

// open returns the log of a partition and its last valid checkpoint, nil if there is none.
func (s *sink) open(ctx context.Context, partition int) (*log, *proof.Checkpoint, error) {
	store, err := s.broker.Store(ctx, s.stream)
	if err != nil {
		return nil, nil, err
	}
	verifier := s.broker.Verifier(s.stage)
	checkpoint, at, fence, err := proof.LastCheckpoint(ctx, store, verifier, partition, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("find the last checkpoint: %w", err)
	}
	l := &log{sink: s, partition: partition, store: store, covers: proof.NewCovers(store, verifier, partition), fence: fence}
	if checkpoint == nil {
		return l, nil, nil
	}
	l.position, l.head, l.valid = checkpoint.Position, proof.Head(at.Data), at.Sequence
	return l, checkpoint, l.loadRecord(ctx)
}

// log writes one partition for one owner.
type log struct {
	*sink
	partition int
	store     *proof.Store
	covers    *proof.Covers
	position  engine.Position
	fence     uint64 // last message on the checkpoint's subject
	head      string // digest of the last valid checkpoint
	valid     uint64 // its sequence
	records   records
}

func (l *log) Position() engine.Position { return l.position }

func (l *log) Encode(group string, ev events.Event) (engine.Message, error) {
	return Encode(l.broker, l.stream, group, ev)
}

// Encode returns the message by which a stage stores an event that it derived in a group. It
// fails for an event that does not belong in the stream, and for one that is too large for the
// broker.
func Encode(b *natsengine.Broker, stream events.Stream, group string, ev events.Event) (engine.Message, error) {
	m, err := engine.Encode(stream, b.Topology().Partitions, group, ev)
	if err != nil {
		return m, err
	}
	if limit := b.JetStream().Conn().MaxPayload(); int64(m.Size()+roomForHeaders) > limit {
		return engine.Message{}, fmt.Errorf("%s has %d bytes, the broker takes %d", ev.Type, m.Size(), limit)
	}
	return m, nil
}

// Commit writes outputs, skips, a record where one is due, snapshots and the checkpoint,
// in this order.
func (l *log) Commit(ctx context.Context, batch engine.Batch) error {
	messages, outputs, err := l.messages(batch)
	if err != nil {
		return err
	}
	var record *proof.Record
	if len(messages)+2 <= maxBatch {
		if record, err = l.record(ctx, onCommit); err != nil {
			return err
		}
	}
	return l.write(ctx, messages, outputs, batch.Position, record, slices.ContainsFunc(batch.Snapshots, l.keeps))
}

// write commits messages, the first of which are outputs, and a record if it is not nil.
func (l *log) write(
	ctx context.Context, messages []*nats.Msg, outputs int, position engine.Position, record *proof.Record, keep bool,
) error {
	if record != nil {
		m, err := l.recordMessage(record)
		if err != nil {
			return err
		}
		messages, outputs = slices.Insert(messages, outputs, m), outputs+1
	}
	next := &proof.Checkpoint{
		Version: 1, Stage: l.stage, Partition: l.partition, Source: string(subjects.SourceOf(l.stage)),
		Position: position, Fence: l.fence, Count: len(messages), Outputs: outputs, Previous: l.head,
	}
	var hashes [][32]byte
	bytes := 0
	for _, m := range messages {
		hash := proof.HashOf(m.Subject, m.Header, m.Data)
		hashes = append(hashes, hash)
		next.Marks = append(next.Marks, hash[:proof.MarkSize]...)
		bytes += m.Size()
	}
	next.Digest = proof.Digest(hashes[:outputs])
	for tries := 0; ; tries++ {
		err := l.commit(ctx, messages, next, bytes, keep)
		if err == nil {
			l.recorded(record)
		}
		if !errors.Is(err, engine.ErrFenced) || tries == maxNoise {
			return err
		}
		if moved, readErr := l.noise(ctx); readErr != nil || !moved {
			return errors.Join(err, readErr)
		}
		next.Fence = l.fence
	}
}

// commit writes the messages and a checkpoint, if the fence is still the last.
func (l *log) commit(ctx context.Context, messages []*nats.Msg, next *proof.Checkpoint, bytes int, keep bool) error {
	data, err := next.Seal(l.broker.Keys().Own)
	if err != nil {
		return err
	}
	checkpoint := nats.NewMsg(subjects.CheckpointSubject(l.stage, l.partition))
	checkpoint.Data = data
	if keep { // it proves snapshots that outlive the stream's age
		checkpoint.Header.Set(jetstream.MsgTTLHeader, "never")
	}
	checkpoint.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(l.fence, 10))
	all := append(slices.Clip(messages), checkpoint)
	sequence, err := l.committer.commit(ctx, &section{messages: all, bytes: bytes + len(data)})
	if err != nil {
		return err
	}
	l.fence, l.valid, l.head, l.position = sequence, sequence, proof.Head(data), next.Position
	return nil
}

// maxNoise bounds how often one commit is tried again because others store messages on the
// checkpoint's subject.
const maxNoise = 1000

// noise reads what came after the fence. If no valid checkpoint of another owner is
// among it, the fence moves on to the last of it and the commit can be tried again:
// messages that a broker was tricked into storing do not stop a stage (EV-6).
func (l *log) noise(ctx context.Context) (moved bool, err error) {
	subject, verifier, at := subjects.CheckpointSubject(l.stage, l.partition), l.broker.Verifier(l.stage), l.fence
	last, err := l.store.Last(ctx, subject)
	if err != nil {
		return false, fmt.Errorf("read what moved the fence: %w", err)
	}
	if last == nil {
		return false, nil
	}
	// All at once: one by one, a flood is faster than who reads it.
	came, err := read.Between(ctx, l.broker, l.store, l.stream, subject, at+1, last.Sequence)
	if err != nil {
		return false, fmt.Errorf("read what moved the fence: %w", err)
	}
	for _, m := range came {
		if c, reason := verifier.Read(l.partition, m); reason == "" && c.Fence == at && c.Previous == l.head {
			return false, nil // somebody else committed
		}
		l.broker.Observer().Skipped(string(l.stream), l.partition, proof.ReasonNoCheckpoint, m.Sequence)
		at = m.Sequence
	}
	moved, l.fence = at > l.fence, at
	return moved, nil
}

func (l *log) messages(batch engine.Batch) (messages []*nats.Msg, outputs int, err error) {
	for _, m := range batch.Messages {
		out := &nats.Msg{Subject: m.Subject, Header: nats.Header{}, Data: m.Data}
		for name, values := range m.Header {
			out.Header[name] = values
		}
		messages = append(messages, out)
	}
	for _, skip := range batch.Skips {
		m := nats.NewMsg(topology.SkipSubject(l.stage, l.partition, skip.Group))
		if m.Data, err = json.Marshal(skip); err != nil {
			return nil, 0, fmt.Errorf("encode a skip: %w", err)
		}
		messages = append(messages, m)
	}
	outputs = len(messages) // what must stay: snapshots are replaced
	for _, snapshot := range batch.Snapshots {
		m := nats.NewMsg(subjects.SnapshotSubject(l.stage, l.partition, snapshot.Group))
		m.Data = snapshot.Data
		m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
		if l.keeps(snapshot) {
			m.Header.Set(jetstream.MsgTTLHeader, "never")
		}
		m.Header.Set(headerVersion, strconv.Itoa(snapshot.Version))
		m.Header.Set(headerSequence, strconv.FormatUint(snapshot.Sequence, 10))
		m.Header.Set(headerFolded, strconv.Itoa(snapshot.Folded))
		messages = append(messages, m)
	}
	return messages, outputs, nil
}

// DeadLetter stores a dead letter. Its subject is its own, so it is stored once.
func (l *log) DeadLetter(ctx context.Context, letter engine.DeadLetter) error {
	data, err := json.Marshal(letter)
	if err != nil {
		return fmt.Errorf("encode a dead letter: %w", err)
	}
	subject := subjects.DeadLetterSubject(letter.Stage, letter.Partition, letter.Group, strconv.FormatUint(letter.Sequence, 10))
	_, err = l.broker.JetStream().Publish(ctx, subject, data, jetstream.WithExpectLastSequencePerSubject(0))
	if !errors.Is(fenced(err), engine.ErrFenced) {
		return err
	}
	dead, err := l.broker.Store(ctx, events.StreamDeadLetter)
	if err != nil {
		return err
	}
	last, err := dead.Last(ctx, subject)
	if err != nil {
		return err
	}
	var there engine.DeadLetter
	if last != nil && json.Unmarshal(last.Data, &there) == nil && there.Stage == letter.Stage && there.Sequence == letter.Sequence {
		return nil
	}
	_, err = l.broker.JetStream().Publish(ctx, subject, data) // what is there is forged
	return err
}

// Sink returns the stream that a stage writes. It fails for a name that is not that of a stage.
func Sink(b *natsengine.Broker, name string) (engine.Sink, error) {
	stream, err := natsengine.StreamOf(name)
	if err != nil {
		return nil, err
	}
	return newSink(b, name, stream), nil
}
