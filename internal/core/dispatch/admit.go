package dispatch

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// admitNew takes the turn's own signals in the order the marker names them:
// suppressed, escalated, logged, or one full turn of grace (DP-12).
func admitNew(w *work) {
	for _, s := range w.fresh() {
		admit(w, s)
	}
}

func admit(w *work, s *events.Signal) {
	urgency := w.config.score(s, false)
	mutedWhy, muted := w.muted(s)
	switch {
	case s.Suppressed != "":
		w.dispose(events.TypeSignalSuppressed, s, urgency, s.Suppressed)
	case w.config.off(s.Detector):
		w.dispose(events.TypeSignalSuppressed, s, urgency, "detector "+s.Detector+" is off")
	case muted:
		w.dispose(events.TypeSignalSuppressed, s, urgency, mutedWhy)
	case w.config.Escalates(s) && w.config.observes(s.Detector):
		w.dispose(events.TypeSignalLogged, s, urgency, observedReason(s))
	case w.config.Escalates(s):
		w.security = append(w.security, s)
	case s.Cap != nil && *s.Cap < w.config.queue():
		w.dispose(events.TypeSignalLogged, s, urgency, "capped at "+s.Cap.String()+" by its validator")
	case w.config.score(s, true) < w.config.queue() && !s.Forced:
		w.dispose(events.TypeSignalLogged, s, urgency, w.belowQueue(urgency))
	default:
		w.take(waits{signal: s})
	}
}

// fresh are the collected signals of this turn in the marker's order; those it
// does not name follow, so that none is lost (DP-18).
func (w *work) fresh() []*events.Signal {
	place := make(map[string]int, len(w.marker.Signals))
	for i, id := range w.marker.Signals {
		place[id] = i
	}
	at := func(s *events.Signal) int {
		if i, ok := place[s.ID]; ok {
			return i
		}
		return len(place)
	}
	fresh := slices.DeleteFunc(slices.Clone(w.session.Collected), func(s *events.Signal) bool { return s.Turn > w.marker.Turn })
	slices.SortStableFunc(fresh, func(a, b *events.Signal) int { return at(a) - at(b) })
	return fresh
}
