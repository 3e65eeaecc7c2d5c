package budget

import (
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// holdOthers queues the candidates that did not fire, with the reason
// (DP-13, DP-14, DP-15).
func holdOthers(w *work) {
	for _, c := range w.candidates {
		holding{w}.hold(c, holding{w}.whyHeld())
	}
	w.candidates = nil
}

// holding keeps what does not fire now, and says when it can (DP-14, DP-15, DP-17).
type holding struct{ *work }

// whyHeld returns the reason, checked in the order of the rules: another interrupt was
// sent, the budget is spent, the cooldown is running.
func (w holding) whyHeld() sessionevents.QueueReason {
	switch {
	case w.session.firedIn(w.turn()):
		return sessionevents.ReasonOutranked
	case w.session.Budget <= 0:
		return sessionevents.ReasonBudgetExhausted
	default:
		return sessionevents.ReasonCooldown
	}
}

// heldCandidates returns the queue entries that need no pause: entries held back by the
// cooldown, and forced ones (DP-14). They fire, so they count against the budget.
func (w holding) heldCandidates() []candidate {
	var held []candidate
	for _, e := range w.session.Queue {
		if e.Forced || e.Cooled {
			held = append(held, candidate{signal: e.Signal, urgency: e.Urgency, committed: e.Committed, forced: e.Forced, held: &e})
		}
	}
	return held
}

// hold queues a candidate, or folds it into the entry of the same cause (DP-17). The
// entry of a spiral is folded into a more urgent candidate instead (C3), and a model's
// finding into a rule's signal, since only a rule's may fire at once (AD-3).
func (w holding) hold(c candidate, reason sessionevents.QueueReason) {
	entry := Entry{
		Signal: c.signal, Urgency: c.urgency, Reason: reason, Forced: c.forced, Cooled: reason == sessionevents.ReasonCooldown,
		Committed: c.committed, Count: 1, Since: w.turn(), From: w.turn(),
	}
	at := slices.IndexFunc(w.session.Queue, func(e Entry) bool { return sameCause(e.Signal, c.signal) })
	if at < 0 {
		w.queue(entry)
		return
	}
	old := w.session.Queue[at]
	grown := c.urgency > old.Urgency && slices.Contains(w.config.Queue.Spirals, c.signal.Detector)
	if grown || old.Signal.ByModel() && !c.signal.ByModel() {
		w.coalesce(candidate{signal: old.Signal, urgency: old.Urgency}, c.signal.ID)
		w.queue(entry.insteadOf(old))
		return
	}
	w.take(coalesced{
		disposition: w.joined(c, old.Signal.ID), signal: c.signal, reason: reason, forced: c.forced, committed: c.committed,
	})
}

func (w holding) queue(e Entry) {
	w.take(queued{entry: e, told: sessionevents.InterruptQueued{
		Session: w.session.ID, Signal: e.Signal.ID, Detector: e.Signal.Detector, Turn: w.turn(),
		Urgency: e.Urgency, Reason: e.Reason, Position: w.session.place(e) + 1,
	}})
}

// insteadOf returns the entry with everything that the replaced entry had collected.
func (e Entry) insteadOf(old Entry) Entry {
	e.Urgency = max(e.Urgency, old.Urgency)
	if e.Signal.Cap != nil {
		e.Urgency = min(e.Urgency, *e.Signal.Cap)
	}
	e.Count, e.From = old.Count+1, old.From
	e.Forced, e.Cooled, e.Committed = e.Forced || old.Forced, e.Cooled || old.Cooled, e.Committed || old.Committed
	return e
}

// coalesce folds a candidate into a signal that was already sent.
func (w holding) coalesce(c candidate, into string) {
	w.take(coalesced{disposition: w.joined(c, into), signal: c.signal})
}

// adviseAgain folds a candidate into a signal that gave the same advice (JD-42).
func (w holding) adviseAgain(c candidate, into string) {
	d := w.joined(c, into)
	d.Reason = "the same advice was given before"
	w.take(coalesced{disposition: d, signal: c.signal})
}

func (w holding) joined(c candidate, into string) sessionevents.Disposition {
	d := w.disposition(joinedCause, c.signal, c.urgency, "the same cause: "+c.signal.Detector+" on one subject")
	d.Into = into
	return d
}
