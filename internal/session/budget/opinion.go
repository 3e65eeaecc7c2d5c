package budget

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// takeOpinion logs a waiting signal that a second opinion holds back, with its sentence
// as the reason (AD-2), and records that a model's finding was confirmed. An opinion has
// no other effect here: it fires nothing, and what it confirms or adds arrives as signals
// of the evaluator.
func takeOpinion(w *work, o *sessionevents.OpinionRecorded) {
	s, urgency := opined{w}.waiting(o.Signal)
	switch {
	case s == nil:
		return
	case o.Confirms() && s.ByModel():
		w.take(vouched{id: s.ID, keep: w.config.Kept.Fired})
		return
	case !o.HoldsBack() || !w.config.refutable(s):
		return
	}
	if o.Verdict == sessionevents.OpinionRefuted {
		w.dispose(refuted, s, urgency, opined{w}.opinionReason(o, "refutes it"))
		return
	}
	w.dispose(notWorthSaying, s, urgency, opined{w}.opinionReason(o, "holds it right, but not worth an interrupt"))
}

// opined decides what a second opinion changes (AD-1).
type opined struct{ *work }

func (w opined) opinionReason(o *sessionevents.OpinionRecorded, says string) string {
	reason := fmt.Sprintf("a second opinion by %s %s", quote.Plain(o.Model), says)
	if strings.TrimSpace(o.Why) != "" {
		reason += ": " + quote.Passage(o.Why)
	}
	return reason
}

// refutable reports whether a second opinion may hold a signal back. Signals that bypass
// the budget, and those about destruction, are never refutable (AD-7).
func (c *Config) refutable(s *sessionevents.Signal) bool {
	return !slices.Contains(c.Opinions.NeverRefuted, s.Detector) && !slices.Contains(c.Escalation.Detectors, s.Detector)
}

// waiting returns a signal in its grace turn, under watch, or in the queue, where an
// entry is found by its first and its latest signal.
func (w opined) waiting(id string) (*sessionevents.Signal, sessionevents.Urgency) {
	for _, s := range slices.Concat(w.session.Pending, w.session.Watched) {
		if s.ID == id {
			return s, w.score(s, false)
		}
	}
	for _, e := range w.session.Queue {
		if slices.Contains(e.ids(), id) {
			return e.Signal, e.Urgency
		}
	}
	return nil, 0
}

// admitConfirmed judges a signal that a second opinion confirmed, by the outcome of the
// signal it repeats: its grace turn is the turn that ends now (AD-2).
func (w opined) admitConfirmed(s *sessionevents.Signal) {
	outcome := w.outcomes[s.Confirms]
	switch {
	case w.marker.Failed != "":
		w.take(waits{signal: s})
	case outcome.Outcome == sessionevents.OutcomeCorrected:
		w.dispose(selfCorrected, s, w.score(s, false), "corrected in the grace turn")
	case s.Cap != nil && *s.Cap < w.config.queue():
		w.dispose(capped, s, w.score(s, false), "capped at "+s.Cap.String()+" by its validator")
	default:
		w.judge(s, outcome.Outcome == sessionevents.OutcomeCommitted)
	}
}

// joinRule folds a model's finding into a rule's signal about the same thing that is
// waiting or was just sent. A waiting one may then become as urgent as the finding by
// itself (AD-3).
func (w opined) joinRule(s *sessionevents.Signal) bool {
	own := sessionevents.UrgencyOf(s.ReworkCost, s.SelfCorrect)
	for _, rule := range slices.Concat(w.session.Pending, w.session.Watched) {
		if opinion.SameThing(s, rule) || w.sameCircle(s, rule.Class, rule.Turn) {
			holding(w).coalesce(candidate{signal: s, urgency: w.score(s, false)}, rule.ID)
			w.take(backed{id: rule.ID, urgency: own})
			return true
		}
	}
	for _, e := range w.session.Queue {
		if opinion.SameThing(s, e.Signal) || !e.Signal.ByModel() && w.sameCircle(s, e.Signal.Class, e.Since) {
			if e.Signal.Cap != nil {
				own = min(own, *e.Signal.Cap)
			}
			holding(w).coalesce(candidate{signal: s, urgency: own}, e.Signal.ID)
			return true
		}
	}
	for _, f := range slices.Backward(w.session.Fired) {
		class := sessionevents.Class(f.Detector[:min(len(f.Detector), 1)])
		circle := !slices.Contains(opinion.Detectors, f.Detector) && w.sameCircle(s, class, f.Turn)
		if circle || class == s.Class && f.Subject == s.Subject {
			holding(w).coalesce(candidate{signal: s, urgency: w.score(s, false)}, f.Signal)
			return true
		}
	}
	return false
}

// sameCircle reports whether a model's finding of going in circles covers turns in which
// a rule saw the session go in circles: both are then the same, whatever they are called.
func (w opined) sameCircle(s *sessionevents.Signal, class sessionevents.Class, turn int) bool {
	apart := s.Turn - turn
	return s.Class == sessionevents.ClassC && class == s.Class &&
		max(apart, -apart) <= w.config.OncePerStreak.AgainAfter
}

// sayable reports whether an entry may be sent: a model's own finding must have been
// confirmed when the model was asked again, and their number per session is limited
// (AD-2, AD-3, AD-7).
func (w opined) sayable(e Entry) bool {
	limits := w.config.Opinions
	switch {
	case !e.Signal.ByModel():
		return true
	case limits.MaxAdded > 0 && w.session.Added >= limits.MaxAdded:
		return false
	}
	confirmed := func(id string) bool { return slices.Contains(w.session.Vouched, id) }
	return !limits.ConfirmAdded || slices.ContainsFunc(e.ids(), confirmed)
}

// score returns the urgency of a signal including what a model's finding about the same
// thing adds; the signal's own cap still applies (DP-2).
func (w opined) score(s *sessionevents.Signal, committed bool) sessionevents.Urgency {
	u := max(w.config.score(s, committed), w.session.Backed[s.ID])
	if s.Cap != nil {
		u = min(u, *s.Cap)
	}
	return u
}

// backed records that a model found the same as a rule.
type backed struct {
	silent
	id      string
	urgency sessionevents.Urgency
}

func (d backed) evolve(s *Session) {
	if s.Backed == nil {
		s.Backed = map[string]sessionevents.Urgency{}
	}
	s.Backed[d.id] = max(s.Backed[d.id], d.urgency)
}

// vouched records that a model confirmed its own finding.
type vouched struct {
	silent
	id   string
	keep int
}

func (d vouched) evolve(s *Session) {
	if !slices.Contains(s.Vouched, d.id) {
		s.Vouched = append(slices.Clone(s.Vouched), d.id)
	}
	s.Vouched = text.Newest(s.Vouched, d.keep)
}
