package budget

import "slices"

// dropSilenced ends waiting signals whose detector was switched off or muted since: the
// configuration of a service may change while a signal waits (DP-25).
func dropSilenced(w *work) {
	for _, e := range slices.Clone(w.session.Queue) {
		if w.config.off(e.Signal.Detector) {
			w.dispose(detectorOff, e.Signal, e.Urgency, offReason(e.Signal))
		} else if w.config.observes(e.Signal.Detector) {
			w.dispose(observedDetector, e.Signal, e.Urgency, observedReason(e.Signal))
		} else if why, muted := w.muted(e.Signal); muted {
			w.dispose(mutedSignal, e.Signal, e.Urgency, why)
		}
	}
	for _, s := range slices.Concat(w.session.Pending, w.session.Watched) {
		urgency := w.config.score(s, false)
		if w.config.off(s.Detector) {
			w.dispose(detectorOff, s, urgency, offReason(s))
		} else if why, muted := w.muted(s); muted {
			w.dispose(mutedSignal, s, urgency, why)
		}
	}
}
