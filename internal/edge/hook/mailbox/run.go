package mailbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
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

// follow reads the bucket CONTROL, then DECISIONS, which takes precedence.
func (m *Mailbox) follow(ctx context.Context, broker *nats.Broker, caughtUp func()) error {
	if err := control.Kept(ctx, broker, m.Keep); err != nil {
		return err
	}
	return m.readDecisions(ctx, broker, caughtUp)
}

// Filters returns the subjects of DECISIONS that the mailbox reads.
func Filters() []string {
	var filters []string
	for _, t := range types {
		d, _ := events.Lookup(t)
		filter := d.SubjectClass + ".>"
		if d.Stream != events.StreamDecisions {
			filter = "decisions." + filter
		}
		if !slices.Contains(filters, filter) {
			filters = append(filters, filter)
		}
	}
	return filters
}

// readDecisions applies the existing decisions, calls caughtUp, and continues with new ones.
func (m *Mailbox) readDecisions(ctx context.Context, broker *nats.Broker, caughtUp func()) error {
	reader, err := read.Open(ctx, broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Filters: Filters()})
	if err != nil {
		return fmt.Errorf("follow the decisions: %w", err)
	}
	defer reader.Close()
	last, err := reader.Last(ctx)
	if err != nil {
		return fmt.Errorf("follow the decisions: %w", err)
	}
	progress := func() {
		if !reader.Drained() {
			return
		}
		m.settled()
		if reader.Seen() >= last && m.CatchUp() {
			caughtUp()
		}
	}
	for {
		progress()
		at, ready, err := reader.Ready(ctx)
		if err == nil && !ready {
			progress()
			at, err = reader.Next(ctx)
		}
		if err != nil {
			return fmt.Errorf("follow the decisions: %w", err)
		}
		if !at.Idle && at.Fault == "" {
			m.Apply(at.Input.Event)
		}
	}
}

// CatchUp records that all existing decisions have been read; it returns true the first time.
func (m *Mailbox) CatchUp() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	first := !m.caught
	m.caught = true
	return first
}
