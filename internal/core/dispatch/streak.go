package dispatch

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// oncePerStreak caps a candidate about a streak for which an interrupt already
// fired at once: class C may interrupt at once only once per streak (C4). While
// the streak grows its length does; a length that did not grow is a new streak.
func oncePerStreak(w *work, c candidate) candidate {
	i := w.session.streak(c.signal)
	if i < 0 || !slices.Contains(w.config.OncePerStreak.Detectors, c.signal.Detector) {
		return c
	}
	if c.signal.Streak <= w.session.Streaks[i].Length {
		w.take(streakEnded{signal: c.signal})
		return c
	}
	c.urgency = min(c.urgency, tenths(w.config.OncePerStreak.Cap))
	c.forced = false
	return c
}

// streak is the index of the streak that an interrupt was fired about, or −1.
func (s *Session) streak(signal *events.Signal) int {
	return slices.IndexFunc(s.Streaks, func(k Streak) bool {
		return k.Detector == signal.Detector && k.Subject == signal.Subject
	})
}

// streakEnded forgets a streak because a new one about the same thing began.
type streakEnded struct {
	silent
	signal *events.Signal
}

func (d streakEnded) evolve(s *Session) {
	if i := s.streak(d.signal); i >= 0 {
		s.Streaks = slices.Delete(s.Streaks, i, i+1)
	}
}
