package budget

import (
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// takeDelivery handles a fact about an interrupt. An interrupt that no agent could
// receive, or that was a false positive, refunds its unit of the budget, once; neither
// these nor expired interrupts are judged for heed (DP-15, DP-21, DP-22).
func takeDelivery(w *work, d *sessionevents.InterruptDelivery) {
	i := w.session.delivered(d)
	if i < 0 {
		return
	}
	f := w.session.Fired[i]
	switch d.State {
	case sessionevents.DeliveryEmitted, sessionevents.DeliveryDelivered, sessionevents.DeliveryAcked:
		if f.Heard == 0 {
			f.Heard, f.Channel = max(w.session.Turn, f.Turn), d.Channel
			w.take(reviewed{fired: f})
			speech{w}.received(f)
		}
	case sessionevents.DeliveryUnsupported, sessionevents.DeliveryDismissed:
		w.take(settled{id: f.ID, refund: true, dismissed: d.State == sessionevents.DeliveryDismissed})
	case sessionevents.DeliveryExpired, sessionevents.DeliveryHeeded, sessionevents.DeliveryIgnored:
		w.take(settled{id: f.ID})
	}
}

// delivered returns the index of the interrupt by its id, or by its turn if the harness
// does not know the id; −1 if it is unknown or no longer kept.
func (s *Session) delivered(d *sessionevents.InterruptDelivery) int {
	if d.Interrupt != "" {
		return s.firedIndex(d.Interrupt)
	}
	return slices.IndexFunc(s.Fired, func(f Fired) bool { return f.Turn == d.Turn })
}

// settled ends the judgement of an interrupt and may refund it.
type settled struct {
	silent
	id        string
	refund    bool
	dismissed bool
}

func (d settled) evolve(s *Session) {
	i := s.firedIndex(d.id)
	if i < 0 {
		return
	}
	f := &s.Fired[i]
	if d.refund && f.Charged {
		f.Charged = false
		s.Budget++
	}
	f.Settled, f.Open = true, nil
	if d.dismissed {
		s.regarded(f.Detector)
	}
}
