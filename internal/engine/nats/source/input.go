// Package source implements [engine.Source] for INPUT and for the streams that stages write,
// and [engine.Recording] for what a stage has read and written so far.
package source

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// inputSource reads INPUT, which has no checkpoints: a message is trusted as far
// as the credential that its subject belongs to (EV-6).
type inputSource struct{ broker *natsengine.Broker }

func (s *inputSource) Read(ctx context.Context, partition int, from engine.Position) (engine.Reading, error) {
	store, err := s.broker.Store(ctx, events.StreamInput)
	if err != nil {
		return nil, err
	}
	state, err := store.State(ctx)
	if err != nil {
		return nil, err
	}
	if state.LastSeq < from.Sequence {
		return nil, fmt.Errorf("INPUT ends at %d, but was read up to %d: %w", state.LastSeq, from.Sequence, read.ErrTruncated)
	}
	feed, err := read.Follow(ctx, s.broker, events.StreamInput, []string{topology.InputFilter(partition, "*")}, from.Sequence+1)
	if err != nil {
		return nil, err
	}
	return &inputReading{feed: feed}, nil
}

func (s *inputSource) Tail(
	ctx context.Context, partition int, group string, after, through uint64,
) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if after >= through {
			return
		}
		store, err := s.broker.Store(ctx, events.StreamInput)
		for at := after + 1; err == nil && at <= through; {
			var m *proof.Message
			if m, err = store.Next(ctx, topology.InputFilter(partition, group), at); m == nil || m.Sequence > through {
				break
			}
			if !yield(inputRecord(*m), nil) {
				return
			}
			at = m.Sequence + 1
		}
		if err != nil {
			yield(engine.Record{}, err)
		}
	}
}

// Options implements [engine.Source].
func (s *inputSource) Options() engine.SourceOptions {
	return engine.SourceOptions{Groups: s.groups, Age: s.broker.Topology().InputAge}
}

// groups implements [engine.SourceOptions]. It reads no data of messages.
func (s *inputSource) groups(
	ctx context.Context, partition int, after, through uint64,
) (map[string]engine.Span, uint64, error) {
	return read.Groups(ctx, s.broker, events.StreamInput, []string{topology.InputFilter(partition, "*")}, after, through)
}

type inputReading struct {
	feed  read.Messages
	seen  uint64 // the last message read
	until uint64 // Next returns io.EOF once it has seen this message, 0: never
}

func (r *inputReading) Next(ctx context.Context) (engine.Record, error) {
	if r.until > 0 && r.seen >= r.until {
		return engine.Record{}, io.EOF
	}
	m, err := r.feed.Next(ctx)
	if err != nil {
		return engine.Record{}, err
	}
	r.seen = m.Sequence
	return inputRecord(m), nil
}

func (r *inputReading) Ready() (engine.Record, bool, error) {
	m, ok := r.feed.Ready()
	if !ok {
		return engine.Record{}, false, nil
	}
	r.seen = m.Sequence
	return inputRecord(m), true, nil
}

func (r *inputReading) Close() { r.feed.Close() }

// inputRecord returns the record of a message of INPUT, validated (EV-3).
func inputRecord(m proof.Message) engine.Record {
	record, subject := read.Decode(events.StreamInput, m)
	record.Position = engine.Position{Sequence: m.Sequence}
	if record.Fault != "" {
		return refused(record, subject)
	}
	record.Input.Event.Credential = subjects.ProvenRole(record.Input.Event.Type, subject.Class) // never what the message says
	record.Input.Account = topology.AccountOf(m.Header)
	ev := record.Input.Event
	switch err := events.Validate(ev, events.Limits{}); {
	case err != nil:
		record.Fault = err.Error()
	case !subjects.Fits(ev.Type, m.Subject) && !subjects.Claims(ev.Type, subject.Class):
		record.Fault = fmt.Sprintf("type %s on a subject of %s", ev.Type, subject.Class)
	case ev.Subject != subject.ID || ev.Group() != subject.Group:
		record.Fault = fmt.Sprintf("event about %s of group %s on a subject of %s in %s", ev.Subject, ev.Group(), subject.ID, subject.Group)
	}
	if record.Fault != "" {
		return refused(record, subject)
	}
	record.Input.Valid = true
	return record
}

// refused adds to a record with a fault what can be reported of it. Whoever publishes on a
// subject is responsible for it, so the report is about what the subject names.
func refused(record engine.Record, subject subjects.Subject) engine.Record {
	if subject.ID == "" || subject.Group == "" {
		return record
	}
	in := record.Input
	in.Event.Subject, in.Event.PartitionKey, in.Event.Correlation, in.Event.Data = subject.ID, subject.Group, "", nil
	if in.Event.Type == "" {
		in.Event.Type = events.Type(subject.Class)
	}
	if in.Event.ID == "" {
		in.Event.ID = record.Hash() // an id of its own for what is derived from it
	}
	record.Refused = &in
	return record
}

// SentBefore reports whether INPUT holds, before a sequence, an event with the same source and
// id on the same subject.
func SentBefore(ctx context.Context, b *natsengine.Broker, e events.Event, sequence uint64) (bool, error) {
	d, err := events.Describe(e.Type)
	if err != nil {
		return false, err
	}
	store, err := b.Store(ctx, events.StreamInput)
	if err != nil {
		return false, err
	}
	group := e.Group()
	subject := fmt.Sprintf("%s.%d.%s.%s", d.SubjectClass, subjects.Partition(group, b.Topology().Partitions), group, e.Subject)
	for at := uint64(1); at < sequence; {
		m, err := store.Next(ctx, subject, at)
		if err != nil {
			return false, fmt.Errorf("look in INPUT for event %s: %w", e.ID, err)
		}
		if m == nil || m.Sequence >= sequence {
			return false, nil
		}
		if sent := inputRecord(*m); sent.Fault == "" && sent.Input.Event.ID == e.ID && sent.Input.Event.Source == e.Source {
			return true, nil
		}
		at = m.Sequence + 1
	}
	return false, nil
}

// Of returns the stream that a stage reads. It fails for a name that is not that of a stage.
func Of(b *natsengine.Broker, name string) (engine.Source, error) {
	stream := subjects.SourceOf(name)
	if stream == "" {
		return nil, fmt.Errorf("no stage is called %q", name)
	}
	if stream == events.StreamInput {
		return &inputSource{broker: b}, nil
	}
	return &derivedSource{broker: b, stream: stream}, nil
}
