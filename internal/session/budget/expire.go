package budget

import (
	"fmt"
	"slices"
)

// expireOld drops entries that neither grew nor were delivered for too long,
// and the lowest ones of an overfull queue (DP-17).
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
