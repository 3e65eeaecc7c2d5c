package mailbox

import (
	"context"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// maxOrdinal bounds what ingest derives from one hook call before its turn: that
// the session opened, and turns that were open before.
const maxOrdinal = 8

// waiter waits for the turn that a hook call completed.
type waiter struct {
	causes map[string]bool // ids that its turn.segmented can have
	met    bool
	done   chan struct{}
}

// Expect begins to wait for the decisions about the turn that the hook call
// source/id completes, so that they are not missed between publishing the call
// and [Wait.For]. End must be called.
func (m *Mailbox) Expect(source, id string) *Wait {
	w := &waiter{causes: map[string]bool{}, done: make(chan struct{})}
	for ordinal := range maxOrdinal {
		w.causes[events.DerivedID("ingest", source, id, ordinal)] = true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiters[w] = true
	return &Wait{m: m, w: w}
}

// Wait is a wait that has begun.
type Wait struct {
	m *Mailbox
	w *waiter
}

// For waits until the decisions are there, or ctx ends, and says which.
func (w *Wait) For(ctx context.Context) bool {
	select {
	case <-w.w.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// End stops waiting.
func (w *Wait) End() {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	delete(w.m.waiters, w.w)
}

// evaluated marks those who wait for the turn that was just closed. What the
// dispatcher decided stands behind the mark, in the same commit.
func (m *Mailbox) evaluated(cause string) {
	for w := range m.waiters {
		w.met = w.met || w.causes[cause]
	}
}

// settled lets those go on whose turn's decisions have been read.
func (m *Mailbox) settled() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for w := range m.waiters {
		if w.met {
			close(w.done)
			delete(m.waiters, w)
		}
	}
}
