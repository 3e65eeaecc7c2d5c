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
