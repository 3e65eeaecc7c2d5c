package budget

import (
	"fmt"
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// watches reports whether a signal that would only be logged is kept under watch.
func (c *Config) watches(s *sessionevents.Signal) bool {
	return c.Watch.Turns > 0 && slices.Contains(c.Watch.Classes, s.Class)
}

// judgeWatched scores a watched signal again, once, in the first turn that commits to it,
// and logs one that nothing committed to in time (DP-11).
func judgeWatched(w *work) {
	if w.marker.Failed != "" {
		return
	}
	for _, s := range slices.Clone(w.session.Watched) {
		switch {
		case w.outcomes[s.ID].Outcome == sessionevents.OutcomeCommitted:
			w.judge(s, true)
		case w.turn() > s.Turn+w.config.Watch.Turns:
			w.unwatch(s, fmt.Sprintf("nothing committed to it in %d turns", w.config.Watch.Turns))
		}
	}
}

// unwatch logs a watched signal as it would have been logged without the watch.
func (w *work) unwatch(s *sessionevents.Signal, why string) {
	urgency := w.config.score(s, false)
	w.dispose(belowQueue, s, urgency, w.belowQueue(urgency)+"; "+why)
}

// watched keeps a signal under watch after its grace turn.
type watched struct {
	silent
	signal *sessionevents.Signal
}

func (d watched) evolve(s *Session) {
	s.forget(d.signal.ID)
	s.Watched = append(s.Watched, d.signal)
}
