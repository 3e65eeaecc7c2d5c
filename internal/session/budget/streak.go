package budget

import (
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Streak is a repeat that a detector counts (C4): how long it is, and how long it
// was when it was last spoken of.
type Streak struct {
	Detector string `json:"detector"`
	Subject  string `json:"subject"`
	Length   int    `json:"length"`            // as last detected
	Said     int    `json:"said,omitempty"`    // its length at its last interrupt, 0: never
	Told     int    `json:"told,omitempty"`    // its length at its last interrupt that was received, 0: never
	AtOnce   bool   `json:"at_once,omitempty"` // an interrupt fired about it at once
}

// Fresh is the number of repeats since its last interrupt, all of them without one (DP-23).
func (k Streak) Fresh() int { return k.Length - k.Said }

// counts reports whether a detector's signals say how long a repeat is.
func (c *Config) counts(s *sessionevents.Signal) bool {
	return s.Streak > 0 && slices.Contains(c.OncePerStreak.Detectors, s.Detector)
}

// follow keeps the length of a repeat that goes on; one that did not grow is a
// new one (DP-23).
func (w *work) follow(s *sessionevents.Signal) {
	if !w.config.counts(s) {
		return
	}
	next := Streak{Detector: s.Detector, Subject: s.Subject, Length: s.Streak}
	if k, ok := w.session.streak(s); ok && s.Streak > k.Length {
		next.Said, next.Told, next.AtOnce = k.Said, k.Told, k.AtOnce
	}
	w.take(followed{streak: next, keep: w.config.Kept.Streaks})
}

// oncePerStreak caps a candidate about a repeat for which an interrupt already
// fired at once: class C may interrupt at once only once per streak (C4).
func oncePerStreak(w *work, c candidate) candidate {
	if k, ok := w.session.streak(c.signal); ok && k.AtOnce && slices.Contains(w.config.OncePerStreak.Detectors, c.signal.Detector) {
		c.urgency = min(c.urgency, tenths(w.config.OncePerStreak.Cap))
		c.forced = false
	}
	return c
}

// spoken is the repeat that an utterance is about, in its state afterwards; nil if it is not about
// a repeat.
func (w *work) spoken(u utterance) *Streak {
	lead := u.signals[0]
	if !slices.Contains(w.config.OncePerStreak.Detectors, lead.Detector) {
		return nil
	}
	k, ok := w.session.streak(lead)
	if !ok {
		k = Streak{Detector: lead.Detector, Subject: lead.Subject, Length: lead.Streak}
	}
	k.Said, k.AtOnce = k.Length, k.AtOnce || u.charged
	return &k
}

// received notes that somebody received what was said about a repeat: eight more of it break a
// session (C4, RW-35), and no break rests on words that nobody received (JD-43).
func (w *work) received(f Fired) {
	i := w.session.streakIndex(Streak{Detector: f.Detector, Subject: f.Subject})
	if i < 0 || w.session.Streaks[i].Said == 0 {
		return
	}
	k := w.session.Streaks[i]
	k.Told = k.Said
	w.take(followed{streak: k, keep: w.config.Kept.Streaks})
}

// streak is what is known of the repeat a signal is about.
func (s *Session) streak(signal *sessionevents.Signal) (k Streak, ok bool) {
	i := s.streakIndex(Streak{Detector: signal.Detector, Subject: signal.Subject})
	if i < 0 {
		return k, false
	}
	return s.Streaks[i], true
}

func (s *Session) streakIndex(k Streak) int {
	return slices.IndexFunc(s.Streaks, func(o Streak) bool { return o.Detector == k.Detector && o.Subject == k.Subject })
}

// followed keeps what is known of a repeat, as the latest one.
type followed struct {
	silent
	streak Streak
	keep   int
}

func (d followed) evolve(s *Session) {
	if i := s.streakIndex(d.streak); i >= 0 {
		s.Streaks = slices.Delete(s.Streaks, i, i+1)
	}
	s.Streaks = keepLast(append(s.Streaks, d.streak), d.keep)
}
