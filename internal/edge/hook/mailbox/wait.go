package mailbox

import (
	"context"
	"sync"
)

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
