package budget

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Streak is a repeat that a detector counts (C4): its length now and when it was last
// mentioned.
type Streak struct {
	Detector string `json:"detector"`
	Subject  string `json:"subject"`
	Length   int    `json:"length"`            // as last detected
	Said     int    `json:"said,omitempty"`    // its length at its last interrupt, 0: none
	Told     int    `json:"told,omitempty"`    // its length at its last delivered interrupt, 0: none
	AtOnce   bool   `json:"at_once,omitempty"` // an immediate interrupt was sent about it
}

// Fresh returns the number of repeats since its last interrupt (DP-23).
func (k Streak) Fresh() int { return k.Length - k.Said }

// counts reports whether a detector's signals contain the length of a repeat.
func (c *Config) counts(s *sessionevents.Signal) bool {
	return s.Streak > 0 && slices.Contains(c.OncePerStreak.Detectors, s.Detector)
}

// follow records the length of a repeat that continues; one that did not grow is a new
// one (DP-23).
func (w speech) follow(s *sessionevents.Signal) {
	if !w.config.counts(s) {
		return
	}
	next := Streak{Detector: s.Detector, Subject: s.Subject, Length: s.Streak}
	if k, ok := w.session.streak(s); ok && s.Streak > k.Length {
		next.Said, next.Told, next.AtOnce = k.Said, k.Told, k.AtOnce
	}
	w.take(followed{streak: next, keep: w.config.Kept.Streaks})
}

// oncePerStreak caps a candidate about a repeat for which an immediate interrupt was
// already sent: class C may interrupt immediately only once per streak (C4).
func oncePerStreak(w *work, c candidate) candidate {
	if k, ok := w.session.streak(c.signal); ok && k.AtOnce && slices.Contains(w.config.OncePerStreak.Detectors, c.signal.Detector) {
		c.urgency = min(c.urgency, tenths(w.config.OncePerStreak.Cap))
		c.forced = false
	}
	return c
}

// spoken returns the repeat that an utterance is about, in its state afterwards; nil if
// it is not about a repeat.
func (w speech) spoken(u utterance) *Streak {
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

// received records that an interrupt about a repeat was delivered: further repeats break
// a session (C4, RW-35), and no break rests on an undelivered interrupt (JD-43).
func (w speech) received(f Fired) {
	i := w.session.streakIndex(Streak{Detector: f.Detector, Subject: f.Subject})
	if i < 0 || w.session.Streaks[i].Said == 0 {
		return
	}
	k := w.session.Streaks[i]
	k.Told = k.Said
	w.take(followed{streak: k, keep: w.config.Kept.Streaks})
}

// streak returns the repeat that a signal is about.
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

// followed stores a repeat as the latest one.
type followed struct {
	silent
	streak Streak
	keep   int
}

func (d followed) evolve(s *Session) {
	if i := s.streakIndex(d.streak); i >= 0 {
		s.Streaks = slices.Delete(s.Streaks, i, i+1)
	}
	s.Streaks = text.Newest(append(s.Streaks, d.streak), d.keep)
}
