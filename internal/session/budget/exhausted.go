package budget

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// noteExhausted reports how many signals are waiting because the budget is spent,
// whenever the number changes (DP-15).
func noteExhausted(w *work) {
	n := 0
	for _, e := range w.session.Queue {
		if e.Reason == sessionevents.ReasonBudgetExhausted {
			n++
		}
	}
	if n == w.session.Noted || w.session.Budget > 0 {
		return
	}
	w.take(exhausted{session: w.session.ID, turn: w.turn(), count: n})
}

// exhausted records the number; zero is recorded but not reported.
type exhausted struct {
	session     string
	turn, count int
}

// Event reports how many signals are waiting.
func (d exhausted) Event() (events.Type, any) {
	if d.count == 0 {
		return "", nil
	}
	return sessionevents.TypeBudgetExhausted, &sessionevents.BudgetExhausted{
		Session: d.session, Turn: d.turn, Queued: d.count, Note: fmt.Sprintf("Budget exhausted — %d signals queued", d.count),
	}
}

func (d exhausted) evolve(s *Session) { s.Noted = d.count }
