package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/synadia-io/orbit.go/jetstreamext"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

const (
	readAtOnce = 8   // requests at the same time, so that one report does not starve others
	getAtOnce  = 500 // messages of one request
	singly     = 50  // messages of one subject that are asked for one by one
)

// About returns the accepted events that a stage has committed on some subjects, in stream
// order, and the sequence up to which it looked. It asks for the subjects that exist and for
// their messages, so its cost grows with the result, not with the stream: use it for one
// session or run, and [All] for much of a stream.
func About(
	ctx context.Context, b *natsengine.Broker, stage string, filters []string,
) (found []Accepted, through uint64, err error) {
	stream, err := natsengine.StreamOf(stage)
	if err != nil {
		return nil, 0, err
	}
	store, err := b.Store(ctx, stream)
	if err != nil {
		return nil, 0, err
	}
	last, err := store.Last(ctx, "ckpt."+stage+".*")
	if err != nil || last == nil {
		return nil, 0, err
	}
	messages, err := On(ctx, b, store, stream, filters, last.Sequence)
	if err != nil {
		return nil, 0, err
	}
	found, err = proven(ctx, b, store, stream, stage, messages)
	return found, last.Sequence, err
}

// Latest returns the last event of a filter up to a sequence that a stage committed, nil if there is none.
func Latest(ctx context.Context, b *natsengine.Broker, stage, filter string, through uint64) (*Accepted, error) {
	stream, err := natsengine.StreamOf(stage)
	if err != nil {
		return nil, err
	}
	store, err := b.Store(ctx, stream)
	if err != nil {
		return nil, err
	}
	literal, err := store.Subjects(ctx, []string{filter})
	if err != nil {
		return nil, err
	}
	var latest *Accepted
	for _, subject := range literal {
		m, err := store.Last(ctx, subject)
		for ; err == nil && m != nil; m, err = store.Before(ctx, subject, m.Sequence) {
			if m.Sequence > through {
				continue
			}
			found, err := proven(ctx, b, store, stream, stage, []*proof.Message{m})
			if err != nil {
				return nil, err
			}
			if len(found) == 0 {
				continue
			}
			if latest == nil || found[0].Position.Sequence > latest.Position.Sequence {
				latest = &found[0]
			}
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return latest, nil
}

// SubjectsOf returns the subjects of a stage's stream that hold messages and match filters,
// sorted. They prove nothing: any client can have had a message stored (EV-6).
func SubjectsOf(ctx context.Context, b *natsengine.Broker, stage string, filters []string) ([]string, error) {
	stream, err := natsengine.StreamOf(stage)
	if err != nil {
		return nil, err
	}
	store, err := b.Store(ctx, stream)
	if err != nil {
		return nil, err
	}
	return store.Subjects(ctx, filters)
}

// On returns the messages, accepted or not, on subjects that match filters, up to a sequence,
// in stream order.
func On(
	ctx context.Context, b *natsengine.Broker, s *proof.Store, stream events.Stream, filters []string, through uint64,
) ([]*proof.Message, error) {
	literal, err := s.Subjects(ctx, filters)
	if err != nil {
		return nil, err
	}
	lists := make([][]*proof.Message, len(literal))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readAtOnce)
	for i, subject := range literal {
		group.Go(func() (err error) {
			lists[i], err = Between(ctx, b, s, stream, subject, 1, through)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(x, y *proof.Message) int { return cmp.Compare(x.Sequence, y.Sequence) })
	return all, nil
}

// Between returns the messages, accepted or not, on one subject from a sequence through
// another. Where replicas may not answer, it asks for the first ones by themselves and, if there
// are more, reads the rest through a consumer.
func Between(
	ctx context.Context, b *natsengine.Broker, s *proof.Store, stream events.Stream, subject string,
	from, through uint64,
) (list []*proof.Message, err error) {
	direct := s.Stream.CachedInfo().Config.AllowDirect
	for at := max(from, 1); at <= through; {
		if !direct && len(list) == singly {
			return restOn(ctx, b, stream, subject, at, through, list)
		}
		if !direct {
			m, err := s.Next(ctx, subject, at)
			if err != nil || m == nil || m.Sequence > through {
				return list, err
			}
			list, at = append(list, m), m.Sequence+1
			continue
		}
		got, err := jetstreamext.GetBatch(ctx, b.JetStream(), string(stream), getAtOnce,
			jetstreamext.GetBatchSubject(subject), jetstreamext.GetBatchSeq(at))
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", subject, stream, err)
		}
		n := 0
		for raw, err := range got {
			if errors.Is(err, jetstreamext.ErrNoMessages) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("read %s of %s: %w", subject, stream, err)
			}
			n, at = n+1, raw.Sequence+1
			if raw.Sequence <= through {
				list = append(list, &proof.Message{
					Subject: raw.Subject, Header: raw.Header, Data: raw.Data,
					Sequence: raw.Sequence, Time: raw.Time.UTC(),
				})
			}
		}
		if n < getAtOnce {
			return list, nil
		}
	}
	return list, nil
}

// restOn appends the messages on one subject from a sequence through another to list.
func restOn(
	ctx context.Context, b *natsengine.Broker, stream events.Stream, subject string, from, through uint64,
	list []*proof.Message,
) ([]*proof.Message, error) {
	reading, err := openOrdered(ctx, b, stream, orderedOptions{filters: []string{subject}, from: from, ends: true})
	if err != nil {
		return nil, err
	}
	defer reading.stop()
	err = reading.each(ctx, func(m proof.Message) (bool, error) {
		if m.Sequence <= through {
			list = append(list, &m)
		}
		return m.Sequence < through, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", subject, stream, err)
	}
	return list, nil
}

// proven decodes the messages that are part of a valid batch, and reports the others.
func proven(
	ctx context.Context, b *natsengine.Broker, s *proof.Store,
	stream events.Stream, stage string, messages []*proof.Message,
) ([]Accepted, error) {
	size := max((len(messages)+readAtOnce-1)/readAtOnce, 1)
	parts := slices.Collect(slices.Chunk(messages, size))
	lists := make([][]Accepted, len(parts))
	group, ctx := errgroup.WithContext(ctx)
	for i, part := range parts {
		group.Go(func() error {
			covers := map[int]*proof.Covers{}
			for _, m := range part {
				partition, _ := proof.Partition(m.Subject)
				if partition < 0 || partition >= b.Topology().Partitions {
					continue
				}
				if covers[partition] == nil {
					covers[partition] = proof.NewCovers(s, b.Verifier(stage), partition)
				}
				finding, err := covers[partition].Find(ctx, m)
				if err != nil {
					return fmt.Errorf("check message %d of %s: %w", m.Sequence, stream, err)
				}
				if finding != proof.Proven {
					b.Observer().Skipped(string(stream), partition, proof.ReasonOutside, m.Sequence)
					continue
				}
				record, _ := Decode(stream, *m)
				record.Position = engine.Position{Sequence: m.Sequence}
				if record.Fault == "" && !subjects.Fits(record.Input.Event.Type, m.Subject) {
					b.Observer().Skipped(string(stream), partition, proof.ReasonType, m.Sequence)
					continue
				}
				lists[i] = append(lists[i], Accepted{
					Record: record, Subject: m.Subject, Partition: partition, Header: m.Header,
				})
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(lists...), nil
}
