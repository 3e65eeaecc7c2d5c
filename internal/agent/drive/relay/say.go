package relay

import (
	"context"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
	s := w.known(i.Fired.Session)
	if s == nil {
		return
	}
	w.mu.Lock()
	_, twice := s.said[i.Fired.ID]
	if !twice {
		s.said[i.Fired.ID] = &saying{interrupt: i}
	}
	w.mu.Unlock()
	if !twice {
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
		if w.expired(s, i.Fired) {
			w.forget(s, i)
			w.record(ctx, s, i, sessionevents.DeliveryExpired)
			return
		}
		err := drive.ErrAway // a paused agent receives nothing
		if !w.waits(s) {
			err = w.driver.Say(ctx, m)
		}
		switch {
		case errors.Is(err, drive.ErrUnsupported):
			w.forget(s, i)
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

// expired reports whether an interrupt has expired (DP-20).
func (w *relayed) expired(s *session, f *sessionevents.InterruptFired) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return f.ExpiresTurn > 0 && s.turns > f.ExpiresTurn
}

func (w *relayed) forget(s *session, i client.Interrupt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.said[i.Fired.ID] = nil // handled, nothing is pending
}

// emitted records that the interrupt was sent, and what became known in the meantime.
func (w *relayed) emitted(ctx context.Context, s *session, i client.Interrupt) {
	w.mu.Lock()
	said := s.said[i.Fired.ID]
	said.emitted = true
	delivered := said.delivered
	w.mu.Unlock()
	w.record(ctx, s, i, sessionevents.DeliveryEmitted)
	if delivered {
		w.record(ctx, s, i, sessionevents.DeliveryDelivered)
	}
}

// Delivered records that the agent accepted an interrupt.
func (w *relayed) Delivered(ctx context.Context, id string) {
	w.mu.Lock()
	var s *session
	var said *saying
	for _, candidate := range w.sessions {
		if found := candidate.said[id]; found != nil {
			s, said = candidate, found
		}
	}
	tell := said != nil && !said.delivered && said.emitted
	if said != nil {
		said.delivered = true
	}
	w.mu.Unlock()
	if tell {
		w.record(ctx, s, said.interrupt, sessionevents.DeliveryDelivered)
	}
}

// answered removes and returns the interrupts that a turn of the model followed; the caller holds the lock.
func (s *session) answered() []*saying {
	var out []*saying
	for id, said := range s.said {
		if said != nil && said.emitted && said.delivered {
			out = append(out, said)
			s.said[id] = nil
		}
	}
	return out
}

// record publishes a fact about an interrupt.
func (w *relayed) record(ctx context.Context, s *session, i client.Interrupt, state sessionevents.DeliveryState) {
	d := i.Delivery(state, w.driver.Channel(), by)
	what := fmt.Sprintf("that interrupt %s is %s", d.Interrupt, state)
	err := w.enqueue(context.WithoutCancel(ctx), publication{what, func(ctx context.Context) error { return w.Deliver(ctx, s.run, d) }})
	if err != nil {
		w.Note(fmt.Sprintf("%s was not published: %v", what, err))
	}
}
