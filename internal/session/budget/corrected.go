package budget

import (
	"cmp"
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// dropCorrected ends pending, watched and queued signals that the primary has corrected
// itself, so that they are not sent (DP-11, DP-17).
func dropCorrected(w *work) {
	w.dropAmong(w.session.Pending, "corrected in the grace turn")
	w.dropAmong(w.session.Watched, "corrected while it was watched")
	for _, e := range slices.Clone(w.session.Queue) {
		if why, ok := w.corrected(e.ids()); ok {
			w.dispose(selfCorrected, e.Signal, e.Urgency, cmp.Or(why, "corrected while it was queued"))
		}
	}
}

func (w *work) dropAmong(list []*sessionevents.Signal, when string) {
	for _, s := range slices.Clone(list) {
		if o, ok := w.outcomes[s.ID]; ok && o.Outcome == sessionevents.OutcomeCorrected {
			w.dispose(selfCorrected, s, w.config.score(s, false), cmp.Or(o.Why, when))
		}
	}
}

// ids returns the signals whose outcome decides about the entry.
func (e Entry) ids() []string {
	if e.Latest == nil {
		return []string{e.Signal.ID}
	}
	return []string{e.Signal.ID, e.Latest.ID}
}

// corrected reports whether one of ids was corrected and none of the others is open.
func (w *work) corrected(ids []string) (why string, ok bool) {
	for _, id := range ids {
		o, judged := w.outcomes[id]
		if !judged {
			continue
		}
		if o.Outcome != sessionevents.OutcomeCorrected {
			return "", false
		}
		why, ok = o.Why, true
	}
	return why, ok
}
