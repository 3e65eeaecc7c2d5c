package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// accepted is a proven decision.
type accepted struct {
	event    events.Event
	sequence uint64
}

// follow reads DECISIONS with an ordered consumer, which tracks its own position, and
// yields what the dispatcher decided.
func (s *Subscriber) follow(ctx context.Context, f Filter, subjects []string, from Start) iter.Seq2[accepted, error] {
	return func(yield func(accepted, error) bool) {
		err := f.check()
		if err == nil {
			err = s.each(ctx, subjects, from, func(m accepted) bool { return yield(m, nil) })
		}
		if err != nil && ctx.Err() == nil {
			yield(accepted{}, err)
		}
	}
}

// each passes proven messages to take until take returns false, ctx ends, or an error occurs that
// waiting cannot resolve.
func (s *Subscriber) each(ctx context.Context, subjects []string, from Start, take func(accepted) bool) error {
	prover, err := s.prover(ctx)
	if err != nil {
		return err
	}
	q := &queue{prover: prover}
	if from.Latest {
		end, err := s.End(ctx)
		if err != nil {
			return err
		}
		q.present = end.Sequence - 1
	}
	messages, err := s.open(ctx, subjects, from)
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		if err := s.receive(ctx, messages, q); err != nil {
			if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
				return nil
			}
			return fmt.Errorf("read %s: %w", events.StreamDecisions, err)
		}
		if more, err := s.hand(ctx, q, take); !more || err != nil {
			return err
		}
	}
}

// askAgain is how long to wait for a message before calling the client library again:
// nats.go 1.55 can skip its request for more messages and only notices on the next call.
// The second wait is long, so that missed heartbeats replace the consumer.
const askAgain = 200 * time.Millisecond

// receive waits for a message, or until a queued one is due for another check.
func (s *Subscriber) receive(ctx context.Context, messages jetstream.MessagesContext, q *queue) error {
	pauses := []time.Duration{askAgain, time.Minute}
	if len(q.waiting) > 0 {
		pauses = []time.Duration{q.pause}
	}
	for _, pause := range pauses {
		msg, err := next(ctx, messages, pause)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return err
		}
		s.queued(q, msg)
		break
	}
	return nil
}

// next waits up to pause for a message.
func next(ctx context.Context, messages jetstream.MessagesContext, pause time.Duration) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	return messages.Next(jetstream.NextContext(ctx))
}

// queued adds a message to those waiting to be proven.
func (s *Subscriber) queued(q *queue, msg jetstream.Msg) {
	meta, err := msg.Metadata()
	if err != nil {
		s.skip(msg.Subject(), 0, err)
		return
	}
	q.add(&proof.Message{Subject: msg.Subject(), Header: msg.Headers(), Data: msg.Data(), Sequence: meta.Sequence.Stream})
}

// hand passes the proven messages to take, in stream order.
func (s *Subscriber) hand(ctx context.Context, q *queue, take func(accepted) bool) (more bool, err error) {
	for {
		m, finding, err := q.next(ctx)
		switch {
		case err != nil && ctx.Err() == nil && q.patient(s.js.Conn().IsConnected()):
			return true, nil
		case err != nil:
			return false, fmt.Errorf("check what %s holds: %w", events.StreamDecisions, err)
		case m == nil:
			return true, nil
		case finding == proof.Refuted:
			s.skip(m.Subject, m.Sequence, errUnproven)
			continue
		}
		if e, ok := s.accept(m); ok && !take(accepted{event: e, sequence: m.Sequence}) {
			return false, nil
		}
	}
}

func (s *Subscriber) open(ctx context.Context, subjects []string, from Start) (jetstream.MessagesContext, error) {
	config := jetstream.OrderedConsumerConfig{FilterSubjects: subjects, DeliverPolicy: jetstream.DeliverNewPolicy}
	switch {
	case from.Sequence > 0:
		config.DeliverPolicy, config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, from.Sequence
	case from.All:
		config.DeliverPolicy = jetstream.DeliverAllPolicy
	case from.Latest:
		config.DeliverPolicy = jetstream.DeliverLastPerSubjectPolicy
	}
	consumer, err := s.js.OrderedConsumer(ctx, string(events.StreamDecisions), config)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", events.StreamDecisions, err)
	}
	messages, err := consumer.Messages()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", events.StreamDecisions, err)
	}
	return messages, nil
}

// accept decodes a message and checks that its type fits its subject (EV-6).
func (s *Subscriber) accept(m *proof.Message) (events.Event, bool) {
	e, err := events.DecodeMessage(m.Header, m.Data)
	if err == nil && !subjects.Fits(e.Type, m.Subject) {
		err = fmt.Errorf("type %s does not fit the subject: a forgery, or a newer scaffoldwatch", e.Type)
	}
	if err != nil {
		s.skip(m.Subject, m.Sequence, err)
	}
	return e, err == nil
}

func (s *Subscriber) skip(subject string, sequence uint64, reason error) {
	s.skipped.Add(1)
	s.options.OnSkip(Skipped{Subject: subject, Sequence: sequence, Reason: reason})
}
