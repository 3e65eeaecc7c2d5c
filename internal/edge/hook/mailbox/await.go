package mailbox

import "context"

// waiter waits for the decisions about the turn that a hook call completed.
type waiter struct {
	trace string // trace of the call; what is derived from the call carries it
	met   bool
	done  chan struct{}
}

// Expect starts waiting for the decisions about the turn that a hook call completes, so that they are not
// missed between publishing the call and [Wait.For]. Trace is the call's trace context, which everything
// derived from it carries. The caller must call End.
func (m *Mailbox) Expect(trace string) *Wait {
	w := &waiter{trace: trace, done: make(chan struct{})}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiters[w] = true
	return &Wait{m: m, w: w}
}

// Wait is a wait that has started.
type Wait struct {
	m *Mailbox
	w *waiter
}

// For waits until the decisions are known or ctx ends, and reports whether they are known.
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

// evaluated marks the waiters of the turn that was just evaluated. The decisions about it follow in the
// same commit.
func (m *Mailbox) evaluated(trace string) {
	for w := range m.waiters {
		w.met = w.met || w.trace == trace
	}
}

// settled releases the waiters whose turn's decisions have been read.
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
