package budget

import (
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// closeSession ends all waiting signals as unsent, in the order queued, pending,
// collected (DP-30); watched ones are logged, since they would not have been sent. The
// budget is kept for a resumed session (SW-1a).
func closeSession(w *work, data *sessionevents.SessionClosed) {
	why := "session closed"
	if data.Reason != "" {
		why += " (" + quote.Line(data.Reason) + ")"
	}
	before := w.session.clone()
	for _, e := range before.Queue {
		w.dispose(sessionClosed, e.Signal, e.Urgency, why+" while it was queued: "+string(e.Reason))
	}
	for _, s := range before.Pending {
		w.dispose(sessionClosed, s, w.config.score(s, false), why+" in its grace turn")
	}
	for _, s := range before.Collected {
		w.dispose(sessionClosed, s, w.config.score(s, false), why+" before its turn was")
	}
	for _, s := range before.Watched {
		w.unwatch(s, why)
	}
	w.take(closed{})
}

// closeTurn makes the decisions of a turn; only its marker triggers it (DP-10).
func closeTurn(w *work) {
	w.take(turnClosed{turn: w.marker.Turn, run: w.marker.Run})
}
