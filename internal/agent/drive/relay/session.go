package relay

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// session is what the relay knows of one session.
type session struct {
	id, run string
	look    chan struct{} // its control state must be read again
	closed  chan struct{}

	mu    sync.Mutex // guards what follows
	turns int
	said  map[string]*saying // by interrupt id, until a turn follows

	obeyed runevents.Control // the last control state that was known
	acted  bool              // since it obeyed that state
	idle   bool              // its task was done since
	halted string            // why it was halted, "" while it may continue
	paused bool              // it waits until a person resumes it
}

// locked changes what is known of the session, under the lock.
func (s *session) locked(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// lookAgain changes what is known of the session and triggers another read of its control state.
func (s *session) lookAgain(change func()) {
	s.locked(change)
	select {
	case s.look <- struct{}{}:
	default: // a read is already due
	}
}

// waits reports whether the session is paused.
func (s *session) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused
}

// begins records that an interrupt is being delivered; it returns false if that happened before.
func (s *session) begins(i client.Interrupt) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, twice := s.said[i.Fired.ID]; twice {
		return false
	}
	s.said[i.Fired.ID] = &saying{interrupt: i}
	return true
}

// expired reports whether an interrupt has expired (DP-20).
func (s *session) expired(f *sessionevents.InterruptFired) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f.ExpiresTurn > 0 && s.turns > f.ExpiresTurn
}

// forget records that an interrupt was handled and nothing is pending.
func (s *session) forget(i client.Interrupt) { s.locked(func() { s.said[i.Fired.ID] = nil }) }

// delivered records that the agent accepted an interrupt, and reports whether that is to be recorded now.
func (s *session) delivered(id string) (i client.Interrupt, tell bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.said[id]
	if said == nil {
		return i, false
	}
	tell = !said.delivered && said.emitted
	said.delivered = true
	return said.interrupt, tell
}

// turned counts a turn; it removes and returns the interrupts that it acknowledges.
func (s *session) turned() []*saying {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns++
	var out []*saying
	for id, said := range s.said {
		if said != nil && said.emitted && said.delivered {
			out = append(out, said)
			s.said[id] = nil
		}
	}
	return out
}

// roster is the sessions of the driver.
type roster struct {
	mu   sync.Mutex
	byID map[string]*session
}

// known returns the session, nil if this driver does not know it.
func (r *roster) known(id string) *session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// open returns the session, and whether it had to be created.
func (r *roster) open(id, run string) (s *session, created bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s = r.byID[id]; s != nil {
		return s, false
	}
	s = &session{id: id, run: run, said: map[string]*saying{}, look: make(chan struct{}, 1), closed: make(chan struct{})}
	r.byID[id] = s
	return s, true
}

func (r *roster) close(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.byID[id]; s != nil {
		close(s.closed)
		delete(r.byID, id)
	}
}

// delivered returns the session and the interrupt of a delivery that is to be recorded now, nil for none.
func (r *roster) delivered(id string) (*session, client.Interrupt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.byID {
		if i, tell := s.delivered(id); tell {
			return s, i
		}
	}
	return nil, client.Interrupt{}
}

// concerned returns the sessions that a control change is about: for a run, all its sessions.
func (r *roster) concerned(e events.Event) (out []*session) {
	change, is := control.ChangeOf(e)
	if !is {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.byID {
		if change.Key == runevents.SessionControlKey(s.id) || s.run != "" && change.Key == runevents.RunControlKey(s.run) {
			out = append(out, s)
		}
	}
	return out
}

// Event publishes what the agent did and updates the state of its session.
func (w *relayed) Event(ctx context.Context, e events.Event) error {
	switch data := e.Data.(type) {
	case *sessionevents.SessionOpened:
		w.session(data.Session, data.Run)
	case *sessionevents.Turn:
		w.turn(ctx, data)
	case *sessionevents.SessionClosed:
		w.sessions.close(data.Session)
	}
	what := fmt.Sprintf("%s of %s", e.Type, e.Subject)
	return w.queue.add(ctx, publication{what, func(ctx context.Context) error { return w.Send(ctx, e) }})
}

// session returns the session, which it creates and starts to govern if necessary.
func (w *relayed) session(id, run string) *session {
	s, created := w.sessions.open(id, run)
	if created {
		w.talks.Go(func() { w.govern(s) })
	}
	return s
}

// turn counts the turn, which acknowledges what was sent before it.
func (w *relayed) turn(ctx context.Context, t *sessionevents.Turn) {
	s := w.session(t.Session, t.Run)
	for _, said := range s.turned() {
		w.record(ctx, s, said.interrupt, sessionevents.DeliveryAcked)
	}
	s.lookAgain(func() { s.acted = true })
}

// Idle halts a session that was to stop after its task (RW-31).
func (w *relayed) Idle(_ context.Context, id string) {
	if s := w.sessions.known(id); s != nil {
		s.lookAgain(func() { s.idle = true })
	}
}

// by identifies this program in delivery facts.
const by = "scaffoldwatch drive"

// saying is an interrupt being delivered.
type saying struct {
	interrupt client.Interrupt
	emitted   bool // handed over, and recorded so
	delivered bool // accepted by the agent
}

// fired delivers an interrupt of one of our sessions. Each is handled once, and never sent again once it
// may have been delivered (DP-21).
func (w *relayed) fired(i client.Interrupt) {
	if s := w.sessions.known(i.Fired.Session); s != nil && s.begins(i) {
		w.talks.Go(func() { w.say(w.life, s, i) })
	}
}

// say sends an interrupt and records the outcome.
func (w *relayed) say(ctx context.Context, s *session, i client.Interrupt) {
	m := drive.Message{ID: i.Fired.ID, Session: s.id, Text: i.Text(), Priority: drive.Next}
	if i.Fired.HoldUntil == sessionevents.HoldImmediate {
		m.Priority = drive.Now
	}
	for pause := retryMin; ; pause = min(2*pause, retryMax) {
		if s.expired(i.Fired) {
			s.forget(i)
			w.record(ctx, s, i, sessionevents.DeliveryExpired)
			return
		}
		err := drive.ErrAway // a paused agent receives nothing
		if !s.waits() {
			err = w.driver.Say(ctx, m)
		}
		switch {
		case errors.Is(err, drive.ErrUnsupported):
			s.forget(i)
			w.record(ctx, s, i, sessionevents.DeliveryUnsupported)
			w.Note(fmt.Sprintf("interrupt %s of %s cannot be delivered: %v", i.Fired.ID, s.id, err))
			return
		case lasting(err):
			if wait(ctx, pause) {
				continue
			}
			return
		case err != nil: // it may have arrived, so it is not repeated
			w.Note(fmt.Sprintf("interrupt %s of %s: %v", i.Fired.ID, s.id, err))
		}
		w.emitted(ctx, s, i)
		return
	}
}

// emitted records that the interrupt was sent, and what became known in the meantime.
func (w *relayed) emitted(ctx context.Context, s *session, i client.Interrupt) {
	var delivered bool
	s.locked(func() {
		said := s.said[i.Fired.ID]
		said.emitted, delivered = true, said.delivered
	})
	w.record(ctx, s, i, sessionevents.DeliveryEmitted)
	if delivered {
		w.record(ctx, s, i, sessionevents.DeliveryDelivered)
	}
}

// Delivered records that the agent accepted an interrupt.
func (w *relayed) Delivered(ctx context.Context, id string) {
	if s, i := w.sessions.delivered(id); s != nil {
		w.record(ctx, s, i, sessionevents.DeliveryDelivered)
	}
}

// record publishes a fact about an interrupt.
func (w *relayed) record(ctx context.Context, s *session, i client.Interrupt, state sessionevents.DeliveryState) {
	d := i.Delivery(state, w.driver.Channel(), by)
	what := fmt.Sprintf("that interrupt %s is %s", d.Interrupt, state)
	err := w.queue.add(context.WithoutCancel(ctx), publication{what, func(ctx context.Context) error { return w.Deliver(ctx, s.run, d) }})
	if err != nil {
		w.Note(fmt.Sprintf("%s was not published: %v", what, err))
	}
}
