package budget

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// interrupt returns the content of an utterance (DP-20).
func (w speech) interrupt(u utterance) sessionevents.InterruptFired {
	lead := u.signals[0]
	i := sessionevents.InterruptFired{
		Session: w.session.ID, Run: w.run(), Turn: w.turn(), ID: w.nextID(),
		Layer: sessionevents.LayerSession, Detector: lead.Detector, Class: lead.Class,
		Urgency: u.urgency, UrgencyLabel: u.label,
		Headline: fmt.Sprintf("⚡ SCAFFOLD-WATCH INTERRUPT [CLASS-%s | URGENCY: %s]", lead.Class, u.label),
		Message:  w.message(u), Reason: reasonOf(u),
		HoldUntil: sessionevents.HoldImmediate, FromQueue: u.fromQueue,
		Budget:   sessionevents.BudgetChange{Before: w.session.Budget, After: w.session.Budget},
		Evidence: u.evidence, ExpiresTurn: w.turn() + w.config.Interrupt.ExpiresAfterTurns,
		Target: sessionevents.Target{Session: w.session.ID, Instance: cmp.Or(w.session.Instance, w.run())},
	}
	for _, s := range u.signals {
		i.Signals = append(i.Signals, s.ID)
	}
	if u.charged {
		i.Budget.After--
	}
	if u.fromQueue {
		i.HoldUntil = sessionevents.HoldNextPause
	}
	return i
}

func (w speech) run() string { return cmp.Or(w.marker.Run, w.session.Run) }

// message returns the lead's message, or the latest one of its cause, with the number of
// further ones, in at most the configured number of words (DP-13, DP-20).
func (w speech) message(u utterance) string {
	text := u.signals[0].Message
	if u.latest != nil {
		text = u.latest.Message
	}
	more := ""
	switch {
	case len(u.signals) > 1:
		more = fmt.Sprintf("(And %d more security findings in this turn.)", len(u.signals)-1)
		if len(u.signals) == 2 {
			more = "(And 1 more security finding in this turn.)"
		}
	case u.count > 1 && u.signals[0].Streak == 0: // a repeat's message contains its count
		more = fmt.Sprintf("(Seen %d times.)", u.count)
	}
	limit := w.config.Interrupt.MaxWords - len(strings.Fields(more))
	return strings.TrimSpace(Wording(text, limit) + " " + more)
}

// reasonOf returns one sentence for people.
func reasonOf(u utterance) string {
	reason := quote.Line(u.signals[0].Reason)
	if !u.committed {
		return reason
	}
	return strings.TrimSuffix(reason, ".") + " (and the agent went on with it)."
}

// Wording returns a text that is safe to show to an agent and in a terminal: [quote.Line], at most
// limit words (DP-20).
func Wording(s string, limit int) string { return text.Words(quote.Line(s), limit) }
