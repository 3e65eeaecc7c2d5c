package source

import (
	"context"
	"fmt"
	"iter"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// derivedSource reads what the previous stage committed and nothing else (EV-6).
type derivedSource struct {
	broker *natsengine.Broker
	stream events.Stream
}

func (s *derivedSource) Read(ctx context.Context, partition int, from engine.Position) (engine.Reading, error) {
	reader, err := read.Open(ctx, s.broker, read.Options{
		Stage: subjects.StageOf(s.stream), Partition: partition, After: from.Anchor, Head: from.Head,
	})
	if err != nil {
		return nil, err
	}
	return &derivedReading{reader: reader, after: from.Sequence}, nil
}

// derivedReading skips the inputs of the batch in which it resumes that were consumed before.
type derivedReading struct {
	reader *read.Reader
	after  uint64
}

func (r *derivedReading) Next(ctx context.Context) (engine.Record, error) {
	for {
		a, err := r.reader.Next(ctx)
		if err != nil || a.Position.Sequence > r.after {
			return a.Record, err
		}
	}
}

func (r *derivedReading) Ready() (engine.Record, bool, error) {
	for {
		a, ok, err := r.reader.Ready(context.Background())
		if err != nil || !ok || a.Position.Sequence > r.after {
			return a.Record, ok, err
		}
	}
}

func (r *derivedReading) Close() { r.reader.Close() }

// Options implements [engine.Source].
func (s *derivedSource) Options() engine.SourceOptions {
	return engine.SourceOptions{Groups: s.groups, Age: s.broker.Topology().Ages[s.stream]}
}

// groups implements [engine.SourceOptions]. A group can be listed for a message that is not
// accepted.
func (s *derivedSource) groups(
	ctx context.Context, partition int, after, through uint64,
) (map[string]engine.Span, uint64, error) {
	return read.Groups(ctx, s.broker, s.stream, topology.OutputFilters(s.stream, partition), after, through)
}

func (s *derivedSource) Tail(
	ctx context.Context, partition int, group string, after, through uint64,
) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if after >= through {
			return
		}
		store, err := s.broker.Store(ctx, s.stream)
		if err != nil {
			yield(engine.Record{}, err)
			return
		}
		covers := proof.NewCovers(store, s.broker.Verifier(subjects.StageOf(s.stream)), partition)
		filters, err := store.Subjects(ctx, topology.GroupFilters(partition, group))
		if err != nil {
			yield(engine.Record{}, err)
			return
		}
		for m, err := range merged(ctx, store, filters, after, through) {
			if err != nil {
				yield(engine.Record{}, err)
				return
			}
			record, accepted, err := s.record(ctx, covers, m)
			if err != nil {
				yield(engine.Record{}, fmt.Errorf("check message %d of %s: %w", m.Sequence, s.stream, err))
				return
			}
			if accepted && !yield(record, nil) {
				return
			}
		}
	}
}

func (s *derivedSource) record(
	ctx context.Context, covers *proof.Covers, m *proof.Message,
) (engine.Record, bool, error) {
	accepted, err := covers.Accepts(ctx, m)
	if err != nil || !accepted {
		return engine.Record{}, false, err
	}
	record, _ := read.Decode(s.stream, *m)
	record.Position = engine.Position{Sequence: m.Sequence}
	return record, record.Fault != "" || subjects.Fits(record.Input.Event.Type, m.Subject), nil
}

// merged yields the messages on several subjects in stream order.
func merged(
	ctx context.Context, s *proof.Store, filters []string, after, through uint64,
) iter.Seq2[*proof.Message, error] {
	return func(yield func(*proof.Message, error) bool) {
		heads := make([]*proof.Message, len(filters))
		for at := after + 1; at <= through; {
			var first *proof.Message
			for i, filter := range filters {
				if heads[i] == nil || heads[i].Sequence < at {
					m, err := s.Next(ctx, filter, at)
					if err != nil {
						yield(nil, err)
						return
					}
					if m == nil {
						m = &proof.Message{Sequence: through + 1} // none left
					}
					heads[i] = m
				}
				if first == nil || heads[i].Sequence < first.Sequence {
					first = heads[i]
				}
			}
			if first == nil || first.Sequence > through || !yield(first, nil) { // nil: all has aged out
				return
			}
			at = first.Sequence + 1
		}
	}
}
