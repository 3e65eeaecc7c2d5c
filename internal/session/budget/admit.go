package budget

import (
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// admitNew handles the turn's own signals in the order in which the marker lists them:
// each is suppressed, escalated, logged, judged at once if nothing follows (E1), or given
// one full turn of grace (DP-12).
func admitNew(w *work) {
	for _, s := range w.fresh() {
		admit(w, s)
	}
}

func admit(w *work, s *sessionevents.Signal) {
	urgency := w.config.score(s, false)
	mutedWhy, muted := w.muted(s)
	switch {
	case s.Suppressed != "":
		w.dispose(overridden, s, urgency, s.Suppressed)
	case w.config.off(s.Detector):
		w.dispose(detectorOff, s, urgency, offReason(s))
	case muted:
		w.dispose(mutedSignal, s, urgency, mutedWhy)
	default:
		speech{w}.follow(s)
		w.admitHeard(s, urgency)
	}
}

// admitHeard admits a signal that nothing silences.
func (w *work) admitHeard(s *sessionevents.Signal, urgency sessionevents.Urgency) {
	if s.ByModel() && (opined{w}).joinRule(s) {
		return
	}
	switch {
	case s.Confirms != "":
		opined{w}.admitConfirmed(s)
	case w.config.Escalates(s) && w.config.observes(s.Detector):
		w.dispose(observedDetector, s, urgency, observedReason(s))
	case w.config.Escalates(s):
		w.security = append(w.security, s)
	case s.Withheld != "":
		w.dispose(withheld, s, urgency, "it rests on a reading that is not sure enough")
	case s.Cap != nil && *s.Cap < w.config.queue():
		w.dispose(capped, s, urgency, "capped at "+s.Cap.String()+" by its validator")
	case w.config.score(s, true) < w.config.queue() && !s.Forced:
		w.dispose(belowQueue, s, urgency, w.belowQueue(urgency))
	case s.Final && w.marker.Failed == "":
		w.judge(s, false)
	default:
		w.take(waits{signal: s})
	}
}

// fresh returns the collected signals of this turn in the marker's order, followed by
// those it does not list, so that no signal is lost (DP-18).
func (w *work) fresh() []*sessionevents.Signal {
	place := make(map[string]int, len(w.marker.Signals))
	for i, id := range w.marker.Signals {
		place[id] = i
	}
	at := func(s *sessionevents.Signal) int {
		if i, ok := place[s.ID]; ok {
			return i
		}
		return len(place)
	}
	fresh := slices.DeleteFunc(slices.Clone(w.session.Collected), func(s *sessionevents.Signal) bool { return s.Turn > w.marker.Turn })
	slices.SortStableFunc(fresh, func(a, b *sessionevents.Signal) int { return at(a) - at(b) })
	return fresh
}
