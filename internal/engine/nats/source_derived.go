package nats

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// derivedSource reads what the previous stage committed and nothing else (EV-6).
type derivedSource struct {
	broker *Broker
	stream events.Stream
}

func (s *derivedSource) Read(ctx context.Context, partition int, from engine.Position) (engine.Reading, error) {
	reader, err := s.broker.Reader(ctx, ReaderOptions{
		Stage: subjects.StageOf(s.stream), Partition: partition, After: from.Anchor, Head: from.Head,
	})
	if err != nil {
		return nil, err
	}
	return &derivedReading{reader: reader, after: from.Sequence}, nil
}

// derivedReading skips what was consumed of the batch in which it resumes.
type derivedReading struct {
	reader *Reader
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

// Age returns how long the stream keeps messages, 0 for ever.
func (s *derivedSource) Age() time.Duration { return s.broker.topology.Ages[s.stream] }

// Groups implements [engine.Indexed]. A group may be among them for a message that
// is not accepted.
func (s *derivedSource) Groups(ctx context.Context, partition int, after, through uint64) (map[string]engine.Span, uint64, error) {
	return s.broker.groups(ctx, s.stream, outputFilters(s.stream, partition), after, through)
}

func (s *derivedSource) Tail(ctx context.Context, partition int, group string, after, through uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if after >= through {
			return
		}
		store, err := s.broker.store(ctx, s.stream)
		if err != nil {
			yield(engine.Record{}, err)
			return
		}
		covers := proof.NewCovers(store, s.broker.verifier(subjects.StageOf(s.stream)), partition)
		filters, err := store.Subjects(ctx, groupFilters(partition, group))
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

func (s *derivedSource) record(ctx context.Context, covers *proof.Covers, m *message) (engine.Record, bool, error) {
	accepted, err := covers.Accepts(ctx, m)
	if err != nil || !accepted {
		return engine.Record{}, false, err
	}
	record, _ := decode(s.stream, *m)
	record.Position = engine.Position{Sequence: m.Sequence}
	return record, record.Fault != "" || subjects.Fits(record.Input.Event.Type, m.Subject), nil
}

// groupFilters returns the filters of a group's events in a derived stream: the
// stream's own types and forwarded ones.
func groupFilters(partition int, group string) []string {
	p := strconv.Itoa(partition)
	return []string{"*.*." + p + "." + group + ".*", "*.*.*." + p + "." + group + ".*"}
}

// merged yields the messages on several filters in stream order.
func merged(ctx context.Context, s *store, filters []string, after, through uint64) iter.Seq2[*message, error] {
	return func(yield func(*message, error) bool) {
		heads := make([]*message, len(filters))
		for at := after + 1; at <= through; {
			var first *message
			for i, filter := range filters {
				if heads[i] == nil || heads[i].Sequence < at {
					m, err := s.Next(ctx, filter, at)
					if err != nil {
						yield(nil, err)
						return
					}
					if m == nil {
						m = &message{Sequence: through + 1} // none left
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
