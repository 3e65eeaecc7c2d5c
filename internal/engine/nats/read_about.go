package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/synadia-io/orbit.go/jetstreamext"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

const (
	readAtOnce = 8   // requests at the same time, so that one report does not starve others
	getAtOnce  = 500 // messages of one request
	singly     = 50  // messages of one subject that are asked for one by one
)

// ReadAbout returns the accepted events that a stage has committed on some
// subjects, in stream order, and the sequence up to which it looked. It asks the
// stream for the subjects that exist and for their messages, so it costs what it
// returns, not what the stream holds: it is for one session or run. [Broker.ReadAll]
// reads much of a stream in less time.
func (b *Broker) ReadAbout(ctx context.Context, stage string, filters []string) (found []Accepted, through uint64, err error) {
	stream, err := streamOf(stage)
	if err != nil {
		return nil, 0, err
	}
	store, err := b.store(ctx, stream)
	if err != nil {
		return nil, 0, err
	}
	last, err := store.Last(ctx, "ckpt."+stage+".*")
	if err != nil || last == nil {
		return nil, 0, err
	}
	messages, err := b.about(ctx, store, stream, filters, last.Sequence)
	if err != nil {
		return nil, 0, err
	}
	found, err = b.proven(ctx, store, stream, stage, messages)
	return found, last.Sequence, err
}

// SubjectsOf returns the subjects of a stage's stream that hold messages and match
// filters, sorted. They prove nothing: anybody may have had a message stored (EV-6).
func (b *Broker) SubjectsOf(ctx context.Context, stage string, filters []string) ([]string, error) {
	stream, err := streamOf(stage)
	if err != nil {
		return nil, err
	}
	store, err := b.store(ctx, stream)
	if err != nil {
		return nil, err
	}
	return store.Subjects(ctx, filters)
}

// about returns the messages on subjects that match filters, up to a sequence, in
// stream order.
func (b *Broker) about(ctx context.Context, s *store, stream events.Stream, filters []string, through uint64) ([]*message, error) {
	literal, err := s.Subjects(ctx, filters)
	if err != nil {
		return nil, err
	}
	lists := make([][]*message, len(literal))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readAtOnce)
	for i, subject := range literal {
		group.Go(func() (err error) {
			lists[i], err = b.messagesOn(ctx, s, stream, subject, through)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(x, y *message) int { return cmp.Compare(x.Sequence, y.Sequence) })
	return all, nil
}

// messagesOn returns the messages on one subject up to a sequence. Where a replica may not answer,
// the first are requests of their own, and the rest, if there is more, is read as a whole.
func (b *Broker) messagesOn(ctx context.Context, s *store, stream events.Stream, subject string, through uint64) (list []*message, err error) {
	direct := s.Stream.CachedInfo().Config.AllowDirect
	for at := uint64(1); at <= through; {
		if !direct && len(list) == singly {
			return b.restOn(ctx, stream, subject, at, through, list)
		}
		if !direct {
			m, err := s.Next(ctx, subject, at)
			if err != nil || m == nil || m.Sequence > through {
				return list, err
			}
			list, at = append(list, m), m.Sequence+1
			continue
		}
		got, err := jetstreamext.GetBatch(ctx, b.js, string(stream), getAtOnce, jetstreamext.GetBatchSubject(subject), jetstreamext.GetBatchSeq(at))
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
				list = append(list, &message{Subject: raw.Subject, Header: raw.Header, Data: raw.Data, Sequence: raw.Sequence, Time: raw.Time.UTC()})
			}
		}
		if n < getAtOnce {
			return list, nil
		}
	}
	return list, nil
}

// restOn adds the messages on one subject from a sequence to another, both included.
func (b *Broker) restOn(
	ctx context.Context, stream events.Stream, subject string, from, through uint64, list []*message,
) ([]*message, error) {
	reading, err := b.openOrdered(ctx, stream, orderedOptions{filters: []string{subject}, from: from, ends: true})
	if err != nil {
		return nil, err
	}
	defer reading.stop()
	err = reading.each(ctx, func(m message) (bool, error) {
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

// proven returns the messages that are in a valid batch, decoded.
func (b *Broker) proven(ctx context.Context, s *store, stream events.Stream, stage string, messages []*message) ([]Accepted, error) {
	size := max((len(messages)+readAtOnce-1)/readAtOnce, 1)
	parts := slices.Collect(slices.Chunk(messages, size))
	lists := make([][]Accepted, len(parts))
	group, ctx := errgroup.WithContext(ctx)
	for i, part := range parts {
		group.Go(func() error {
			covers := map[int]*proof.Covers{}
			for _, m := range part {
				partition, _ := proof.Partition(m.Subject)
				if partition < 0 || partition >= b.topology.Partitions {
					continue
				}
				if covers[partition] == nil {
					covers[partition] = proof.NewCovers(s, b.verifier(stage), partition)
				}
				finding, err := covers[partition].Find(ctx, m)
				if err != nil {
					return fmt.Errorf("check message %d of %s: %w", m.Sequence, stream, err)
				}
				if finding != proof.Proven {
					b.observer.Skipped(string(stream), partition, ReasonOutside, m.Sequence)
					continue
				}
				record, _ := decode(stream, *m)
				record.Position = engine.Position{Sequence: m.Sequence}
				if record.Fault == "" && !subjects.Fits(record.Input.Event.Type, m.Subject) {
					b.observer.Skipped(string(stream), partition, ReasonType, m.Sequence)
					continue
				}
				lists[i] = append(lists[i], Accepted{Record: record, Subject: m.Subject, Partition: partition, Header: m.Header})
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(lists...), nil
}
