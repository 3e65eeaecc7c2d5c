package mailbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// retryPause is the time between attempts while the broker is unreachable.
const retryPause = time.Second

// Run follows DECISIONS until ctx ends, and starts over if reading fails. It calls healthy with an error
// while the mailbox is incomplete, and with nil once it is complete.
func (m *Mailbox) Run(ctx context.Context, broker *nats.Broker, healthy func(error)) {
	for ctx.Err() == nil {
		m.mu.Lock()
		m.reset()
		m.mu.Unlock()
		healthy(errors.New("catching up with decisions"))
		err := m.follow(ctx, broker, func() { healthy(nil) })
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return
		}
		healthy(err)
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

// follow follows DECISIONS from its present end on. It reads the bucket CONTROL, over which decisions take
// precedence; what was decided before about a session is read when its first hook is called (ADR 67).
func (m *Mailbox) follow(ctx context.Context, broker *nats.Broker, caughtUp func()) error {
	reader, err := read.Open(
		ctx,
		broker,
		read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Filters: Filters(), Latest: true},
	)
	if err != nil {
		return fmt.Errorf("follow the decisions: %w", err)
	}
	defer reader.Close()
	if err := control.Kept(ctx, broker, m.Keep); err != nil {
		return err
	}
	m.mu.Lock()
	m.boxes.partly, m.openings.record, m.openings.followed = true, newPast(broker), reader.Start()
	m.mu.Unlock()
	m.CatchUp()
	caughtUp()
	for {
		at, ready, err := reader.Ready(ctx)
		if err == nil && !ready {
			m.waits.settled()
			at, err = reader.Next(ctx)
		}
		if err != nil {
			return fmt.Errorf("follow the decisions: %w", err)
		}
		if !at.Idle && at.Fault == "" {
			m.take(at.Input.Event, at.Position.Sequence)
		}
		if reader.Drained() {
			m.waits.settled()
		}
	}
}

// take applies an event that was decided since the mailbox follows DECISIONS.
func (m *Mailbox) take(e events.Event, at uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.openings.applied(e, at)
	m.notice(e)
	m.fold(e, at)
}

// Filters returns the subjects of DECISIONS that the mailbox reads.
func Filters() []string { return filters(types, subjects.FleetFilter) }

// filters returns the filters of some types in DECISIONS, each once.
func filters(types []events.Type, of func(events.Type) string) (list []string) {
	for _, t := range types {
		filter := of(t)
		if d, _ := events.Lookup(t); d.Stream != events.StreamDecisions {
			filter = "decisions." + filter
		}
		if !slices.Contains(list, filter) {
			list = append(list, filter)
		}
	}
	return list
}

// waits are the hook calls that wait for decisions. They have a lock of their own: what is decided is
// folded while they wait.
type waits struct {
	mu   sync.Mutex
	open map[*Wait]bool
}

// Wait is a wait for the decisions about the turn that a hook call completed.
type Wait struct {
	all   *waits
	trace string // trace of the call; what is derived from the call carries it
	met   bool
	done  chan struct{}
}

// Expect starts waiting for the decisions about the turn that a hook call completes, so that they are not
// missed between publishing the call and [Wait.For]. Trace is the call's trace context, which everything
// derived from it carries. The caller must call End.
func (m *Mailbox) Expect(trace string) *Wait {
	w := &Wait{all: &m.waits, trace: trace, done: make(chan struct{})}
	m.waits.mu.Lock()
	defer m.waits.mu.Unlock()
	m.waits.open[w] = true
	return w
}

// For waits until the decisions are known or ctx ends, and reports whether they are known.
func (w *Wait) For(ctx context.Context) bool {
	select {
	case <-w.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// End stops waiting.
func (w *Wait) End() {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	delete(w.all.open, w)
}

func (w *waits) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = map[*Wait]bool{}
}

// evaluated marks those that wait for the turn that was just evaluated. The decisions about it follow in
// the same commit.
func (w *waits) evaluated(trace string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.open {
		one.met = one.met || one.trace == trace
	}
}

// settled releases those whose turn's decisions have been read.
func (w *waits) settled() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.open {
		if one.met {
			close(one.done)
			delete(w.open, one)
		}
	}
}
