package budget

import (
	"fmt"
	"slices"
)

// expireOld drops queue entries that have neither grown nor been delivered for too long,
// and the lowest ones of a queue that is too long (DP-17).
func expireOld(w *work) {
	limits := w.config.Queue
	for i, e := range slices.Clone(w.session.Queue) {
		switch {
		case w.turn()-e.Since > limits.MaxAgeTurns:
			w.dispose(tooOld, e.Signal, e.Urgency, fmt.Sprintf("queued for more than %d turns", limits.MaxAgeTurns))
		case i >= limits.MaxEntries:
			w.dispose(queueFull, e.Signal, e.Urgency, fmt.Sprintf("more than %d signals are queued", limits.MaxEntries))
		}
	}
}
