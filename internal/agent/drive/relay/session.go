package relay

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// session is what the relay knows of one session.
type session struct {
	id, run string
	turns   int
	said    map[string]*saying // by interrupt id, until a turn follows
	look    chan struct{}      // its control state must be read again
	closed  chan struct{}

	obeyed runevents.Control // the last control state that was known
	acted  bool              // since it obeyed that state
	idle   bool              // its task was done since
	halted string            // why it was halted, "" while it may continue
	paused bool              // it waits until a person resumes it
}

// Event publishes what the agent did and updates the state of its session.
func (w *relayed) Event(ctx context.Context, e events.Event) error {
	switch data := e.Data.(type) {
	case *sessionevents.SessionOpened:
		w.session(data.Session, data.Run)
	case *sessionevents.Turn:
		w.turn(ctx, data)
	case *sessionevents.SessionClosed:
		w.closeSession(data.Session)
	}
	what := fmt.Sprintf("%s of %s", e.Type, e.Subject)
	return w.enqueue(ctx, publication{what, func(ctx context.Context) error { return w.Send(ctx, e) }})
}

// session returns the session, which it creates and starts to govern if necessary.
func (w *relayed) session(id, run string) *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sessions[id]
	if s == nil {
		s = &session{id: id, run: run, said: map[string]*saying{}, look: make(chan struct{}, 1), closed: make(chan struct{})}
		w.sessions[id] = s
		w.talks.Go(func() { w.govern(s) })
	}
	return s
}

func (w *relayed) closeSession(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.sessions[id]; s != nil {
		close(s.closed)
		delete(w.sessions, id)
	}
}

// known returns the session, nil if this driver does not know it.
func (w *relayed) known(id string) *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[id]
}

// turn counts the turn, which acknowledges what was sent before it.
func (w *relayed) turn(ctx context.Context, t *sessionevents.Turn) {
	s := w.session(t.Session, t.Run)
	w.mu.Lock()
	s.turns++
	acked := s.answered()
	w.mu.Unlock()
	for _, said := range acked {
		w.record(ctx, s, said.interrupt, sessionevents.DeliveryAcked)
	}
	w.lookAgain(s, func() { s.acted = true })
}

// Idle halts a session that was to stop after its task (RW-31).
func (w *relayed) Idle(_ context.Context, id string) {
	if s := w.known(id); s != nil {
		w.lookAgain(s, func() { s.idle = true })
	}
}
