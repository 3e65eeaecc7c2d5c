package budget

import (
	"cmp"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// fireBest fires the best candidate if no interrupt was sent this turn, the cooldown is
// over and the budget is not spent (DP-13, DP-14, DP-15). At the end of a response the
// cooldown does not apply, since there may be no later turn.
func fireBest(w *work) {
	if w.session.firedIn(w.turn()) || w.session.Budget <= 0 {
		return
	}
	all := append(slices.Clone(w.candidates), holding{w}.heldCandidates()...)
	if !(speech{w}).cooldownOver() {
		all = slices.DeleteFunc(all, func(c candidate) bool { return c.held != nil || !c.signal.Final })
	}
	if len(all) == 0 {
		return
	}
	best := slices.MinFunc(all, w.config.before)
	speech{w}.fire(best.utterance())
	w.candidates = slices.DeleteFunc(w.candidates, func(c candidate) bool { return c.signal.ID == best.signal.ID })
	speech{w}.joinSameCause(best.signal)
}

func (w speech) cooldownOver() bool {
	return w.session.cooldownOver(w.turn(), w.config.CooldownTurns)
}

// before orders candidates: class B first among those not in the queue, then
// the higher urgency, then class order, earlier detection, id (DP-13).
func (c *Config) before(a, b candidate) int {
	return cmp.Or(
		-cmp.Compare(first(a), first(b)),
		-cmp.Compare(a.urgency, b.urgency),
		cmp.Compare(c.classRank(a.signal.Class), c.classRank(b.signal.Class)),
		cmp.Compare(a.signal.Turn, b.signal.Turn),
		cmp.Compare(a.signal.ID, b.signal.ID),
	)
}

func first(c candidate) int {
	if c.held == nil && c.signal.Class == sessionevents.ClassB {
		return 1
	}
	return 0
}

func (c candidate) utterance() utterance {
	u := utterance{
		signals: []*sessionevents.Signal{c.signal}, urgency: c.urgency, label: c.urgency.String(),
		charged: true, committed: c.committed, evidence: evidenceOf(c.signal),
	}
	if c.held != nil {
		u.fromEntry(*c.held)
	}
	return u
}

// joinSameCause folds candidates and queue entries about the same thing into the signal
// that was just sent, so that it is not repeated (DP-17).
func (w speech) joinSameCause(said *sessionevents.Signal) {
	w.candidates = slices.DeleteFunc(w.candidates, func(c candidate) bool {
		if !sameCause(c.signal, said) {
			return false
		}
		holding(w).coalesce(c, said.ID)
		return true
	})
	for _, e := range slices.Clone(w.session.Queue) {
		if sameCause(e.Signal, said) {
			holding(w).coalesce(candidate{signal: e.Signal, urgency: e.Urgency}, said.ID)
		}
	}
}

func sameCause(a, b *sessionevents.Signal) bool {
	return a.Detector == b.Detector && a.Subject == b.Subject || opinion.SameThing(a, b) || opinion.SameThing(b, a)
}
