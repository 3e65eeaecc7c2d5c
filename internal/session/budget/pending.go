package budget

import (
	"fmt"
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// candidate may fire at once (DP-13).
type candidate struct {
	signal    *sessionevents.Signal
	urgency   sessionevents.Urgency
	committed bool
	forced    bool
	// held is set for a queue entry that needs no pause any more (DP-14).
	held *Entry
}

// judgePending takes the signals whose grace turn is over: candidate, queue or
// log (DP-11). A failed turn judges nothing, the grace turn then goes on.
func judgePending(w *work) {
	if w.marker.Failed != "" {
		return
	}
	for _, s := range slices.Clone(w.session.Pending) {
		w.judge(s, w.outcomes[s.ID].Outcome == sessionevents.OutcomeCommitted)
	}
}

// judge decides a signal for good, or watches it.
func (w *work) judge(s *sessionevents.Signal, committed bool) {
	c := candidate{signal: s, urgency: w.score(s, committed), committed: committed, forced: s.Forced}
	c = oncePerStreak(w, c)
	switch {
	case w.config.observes(s.Detector):
		w.dispose(observedDetector, s, c.urgency, observedReason(s))
	case (c.urgency >= w.config.queue() || c.forced) && w.given(s) != "":
		w.adviseAgain(c, w.given(s))
	case c.urgency >= w.config.fire() || c.forced:
		w.candidates = append(w.candidates, c)
	case c.urgency >= w.config.queue():
		w.hold(c, sessionevents.ReasonBelowFire)
	case !committed && w.config.watches(s):
		w.take(watched{signal: s})
	default:
		w.dispose(belowQueue, s, c.urgency, w.belowQueue(c.urgency))
	}
}

func (w *work) belowQueue(u sessionevents.Urgency) string {
	return fmt.Sprintf("urgency %s is below %s", u, w.config.queue())
}
