package budget

import sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

// deliverHead says the head of the queue at a natural pause, one per pause, if
// nothing was said this turn and the cooldown is over. It does not touch the
// budget (DP-16, DP-17).
func deliverHead(w *work) {
	limit := w.config.Queue.MaxDelivered
	switch {
	case !w.marker.Pause.Natural, len(w.session.Queue) == 0:
		return
	case w.session.firedIn(w.turn()), !w.cooldownOver():
		return
	case limit > 0 && w.session.Delivered >= limit:
		return
	}
	head := w.session.Queue[0]
	u := utterance{signals: []*sessionevents.Signal{head.Signal}, urgency: head.Urgency, label: head.Urgency.String(), fromQueue: true}
	u.fromEntry(head)
	w.fire(u)
}
