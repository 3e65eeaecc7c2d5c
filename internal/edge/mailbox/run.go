package mailbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// retryPause is the time between two tries while the broker is out of reach.
const retryPause = time.Second

// Run follows DECISIONS and CONTROL until ctx ends, and begins anew from their
// beginning when they cannot be read. Healthy hears how it stands.
func (m *Mailbox) Run(ctx context.Context, broker *nats.Broker, healthy func(error)) {
	for ctx.Err() == nil {
		m.mu.Lock()
		m.reset()
		m.mu.Unlock()
		healthy(errors.New("catching up with what was decided"))
		group, ctx := errgroup.WithContext(ctx)
		ready := func() {
			if m.Ready() {
				healthy(nil)
			}
		}
		group.Go(func() error { return m.readDecisions(ctx, broker, ready) })
		group.Go(func() error { return broker.WatchControl(ctx, m.Control, func() { m.controlRead(); ready() }) })
		err := group.Wait()
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

func (m *Mailbox) controlRead() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.control = true
}

// Filters are the subjects of DECISIONS that the mailbox reads.
func Filters() []string {
	var filters []string
	for _, t := range types {
		d, _ := events.Lookup(t)
		prefix := ""
		if d.Stream != events.StreamDecisions {
			prefix = "decisions."
		}
		filters = append(filters, prefix+d.SubjectClass+".>")
	}
	return unique(filters)
}

func unique(all []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// readDecisions applies what there is, says so, and goes on with what comes.
func (m *Mailbox) readDecisions(ctx context.Context, broker *nats.Broker, caughtUp func()) error {
	reader, err := broker.Reader(ctx, nats.ReaderOptions{Stage: "dispatcher", Partition: nats.AllPartitions, Filters: Filters()})
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
		if reader.Seen() >= last && m.catchUp() {
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

// catchUp notes that all decisions there were have been read; it is true once.
func (m *Mailbox) catchUp() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	first := !m.caught
	m.caught = true
	return first
}
