package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// errUnproven is why a message outside any batch is skipped.
var errUnproven = errors.New("not part of a dispatcher batch: a forgery")

// prover distinguishes the dispatcher's decisions from messages that others stored in DECISIONS
// (EV-6). It is used by one goroutine.
type prover struct {
	store    *proof.Store
	verifier proof.Verifier
	covers   map[int]*proof.Covers // by partition
}

func (s *Subscriber) prover(ctx context.Context) (*prover, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.decisions == nil {
		stream, err := s.js.Stream(ctx, string(events.StreamDecisions))
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, fmt.Errorf("stream %s does not exist, run `scaffoldwatch streams init`: %w", events.StreamDecisions, err)
		}
		if err != nil {
			return nil, fmt.Errorf("inspect stream %s: %w", events.StreamDecisions, err)
		}
		s.decisions = proof.NewStore(stream)
	}
	return &prover{
		store: s.decisions, covers: map[int]*proof.Covers{},
		verifier: proof.Verifier{Stage: subjects.StageOf(events.StreamDecisions), Trusted: s.options.TrustedKeys, Revoked: s.options.RevokedKeys},
	}, nil
}

// find reports whether a message is proven, as far as the stream can show yet.
func (p *prover) find(ctx context.Context, m *proof.Message) (proof.Finding, error) {
	partition, isCheckpoint := proof.Partition(m.Subject)
	if partition < 0 || isCheckpoint {
		return proof.Refuted, nil
	}
	if p.covers[partition] == nil {
		p.covers[partition] = proof.NewCovers(p.store, p.verifier, partition)
	}
	return p.covers[partition].Find(ctx, m)
}

// last returns the last proven message on a subject before the sequence below (0: no
// bound), or nil if none is proven.
func (p *prover) last(ctx context.Context, subject string, below uint64) (m *proof.Message, err error) {
	if below == 0 {
		m, err = p.store.Last(ctx, subject)
	} else {
		m, err = p.store.Before(ctx, subject, below)
	}
	for m != nil && err == nil {
		var finding proof.Finding
		if finding, err = p.find(ctx, m); err != nil || finding == proof.Proven {
			break
		}
		m, err = p.store.Before(ctx, subject, m.Sequence)
	}
	return m, err
}

// Pauses between checks of a message whose batch is incomplete.
const (
	proofPauseMin = time.Millisecond
	proofPauseMax = 250 * time.Millisecond
)

// proofPatience is how long checkpoints may stay unreachable over a working connection,
// for example while a broker starts.
const proofPatience = 30 * time.Second

// queue holds messages in stream order until they are classified. The last message of the
// stream stays undecided without blocking the reader, because only the next message
// decides it.
type queue struct {
	*prover
	waiting []*proof.Message
	pause   time.Duration // until the next check
	since   time.Time     // when checkpoints became unreachable; zero while they can be read
	// present is the end of the current values (Start.Latest): an unproven message before
	// it is replaced by the last proven message on its subject. replaced is the last one
	// replaced in this way.
	present, replaced uint64
}

// add appends the next message of the stream.
func (q *queue) add(m *proof.Message) {
	q.waiting = append(q.waiting, m)
	q.pause = proofPauseMin
}

// next returns the first message and its finding, or nil while it is undecided.
func (q *queue) next(ctx context.Context) (*proof.Message, proof.Finding, error) {
	if len(q.waiting) == 0 {
		return nil, proof.Undecided, nil
	}
	m := q.waiting[0]
	finding, err := q.find(ctx, m)
	if err == nil && finding == proof.Undecided && q.overtaken(m) {
		finding = proof.Refuted
	}
	if err == nil && finding != proof.Proven && m.Sequence <= q.present && m.Sequence > q.replaced {
		q.replaced = m.Sequence
		if before, err := q.last(ctx, m.Subject, m.Sequence); err != nil || before != nil {
			return before, proof.Proven, err
		}
	}
	if err != nil || finding == proof.Undecided {
		q.pause = min(2*q.pause, proofPauseMax)
		return nil, proof.Undecided, err
	}
	q.waiting, q.pause, q.since = q.waiting[1:], proofPauseMin, time.Time{}
	return m, finding, nil
}

// overtaken reports whether a later message proves that the message's batch can no longer follow: a
// batch is contiguous and bounded.
func (q *queue) overtaken(m *proof.Message) bool {
	partition, _ := proof.Partition(m.Subject)
	last := q.waiting[len(q.waiting)-1]
	other, _ := proof.Partition(last.Subject)
	return other != partition || last.Sequence >= m.Sequence+proof.MaxBatch
}

// patient tracks how long checkpoints have been unreachable and reports whether to keep
// trying.
func (q *queue) patient(connected bool) bool {
	now := time.Now()
	if q.since.IsZero() || !connected {
		q.since = now
	}
	return now.Sub(q.since) < proofPatience
}
