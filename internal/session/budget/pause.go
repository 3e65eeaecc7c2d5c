package budget

import (
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// deliverHead sends the first queue entry for which this turn is a pause, at most one per
// turn, if no interrupt was sent in it and the cooldown is over. It does not use the
// budget (DP-16, DP-17).
func deliverHead(w *work) {
	limit := w.config.Queue.MaxDelivered
	if w.session.firedIn(w.turn()) || !(speech{w}).cooldownOver() {
		return
	}
	at := slices.IndexFunc(w.session.Queue, func(e Entry) bool {
		return (limit == 0 || w.session.Delivered[e.Signal.Class] < limit) && holding{w}.pauses(e) && !holding{w}.outgrown(e) &&
			opined{w}.sayable(e)
	})
	if at < 0 {
		return
	}
	head := w.session.Queue[at]
	u := utterance{signals: []*sessionevents.Signal{head.Signal}, urgency: head.Urgency, label: head.Urgency.String(), fromQueue: true}
	u.fromEntry(head)
	speech{w}.fire(u)
}

// pauses reports whether an entry may be sent now: at a natural pause or, once it has
// waited long enough or is a spiral that continues, at a tool boundary (DP-16). A repeat
// that was already mentioned is left to its break first (DP-23).
func (w holding) pauses(e Entry) bool {
	if w.marker.Pause.Natural || !w.marker.Pause.Boundary {
		return w.marker.Pause.Natural
	}
	if k, ok := w.session.streak(e.Signal); ok && k.Said > 0 {
		return k.Fresh() >= w.config.OncePerStreak.AgainAfter
	}
	return w.turn()-e.From >= w.config.Queue.PatienceTurns || w.confirmed(e)
}

// confirmed reports whether the detector of a spiral saw it again after the turn in which
// it was detected.
func (w holding) confirmed(e Entry) bool {
	if !slices.Contains(w.config.Queue.Spirals, e.Signal.Detector) {
		return false
	}
	return e.Count > 1 || e.Committed || slices.ContainsFunc(e.ids(), w.goesOn) ||
		slices.ContainsFunc(w.session.Pending, func(s *sessionevents.Signal) bool { return sameCause(s, e.Signal) })
}

func (w holding) goesOn(id string) bool {
	return w.outcomes[id].Outcome == sessionevents.OutcomeCommitted
}

// outgrown reports whether a more urgent signal of the same cause is in its grace turn:
// it will replace the entry, so its cause must not be used up (C3).
func (w holding) outgrown(e Entry) bool {
	return slices.ContainsFunc(w.session.Pending, func(s *sessionevents.Signal) bool {
		return sameCause(s, e.Signal) && oncePerStreak(w.work, candidate{signal: s, urgency: w.config.score(s, false)}).urgency > e.Urgency
	})
}
