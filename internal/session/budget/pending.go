package budget

import (
	"fmt"
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// candidate is a signal that may fire at once (DP-13).
type candidate struct {
	signal    *sessionevents.Signal
	urgency   sessionevents.Urgency
	committed bool
	forced    bool
	// held is set for a queue entry that no longer needs a pause (DP-14).
	held *Entry
}

// judgePending makes candidates of the signals whose grace turn is over, or queues or
// logs them (DP-11). A failed turn judges nothing and extends the grace turn.
func judgePending(w *work) {
	if w.marker.Failed != "" {
		return
	}
	for _, s := range slices.Clone(w.session.Pending) {
		w.judge(s, w.outcomes[s.ID].Outcome == sessionevents.OutcomeCommitted)
	}
}

// judge makes the final decision about a signal, or watches it.
func (w *work) judge(s *sessionevents.Signal, committed bool) {
	c := candidate{signal: s, urgency: opined{w}.score(s, committed), committed: committed, forced: s.Forced}
	c = oncePerStreak(w, c)
	switch {
	case w.config.observes(s.Detector):
		w.dispose(observedDetector, s, c.urgency, observedReason(s))
	case (c.urgency >= w.config.queue() || c.forced) && w.given(s) != "":
		holding{w}.adviseAgain(c, w.given(s))
	case c.urgency >= w.config.fire() || c.forced:
		w.candidates = append(w.candidates, c)
	case c.urgency >= w.config.queue():
		holding{w}.hold(c, sessionevents.ReasonBelowFire)
	case !committed && w.config.watches(s):
		w.take(watched{signal: s})
	default:
		w.dispose(belowQueue, s, c.urgency, w.belowQueue(c.urgency))
	}
}

func (w *work) belowQueue(u sessionevents.Urgency) string {
	return fmt.Sprintf("urgency %s is below %s", u, w.config.queue())
}
