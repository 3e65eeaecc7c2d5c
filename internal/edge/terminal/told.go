package terminal

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Told remembers what was shown last, so that the same answers do not appear twice in a row: a denied gate
// has them, and the escalation that follows it.
type Told struct {
	subject string
	options []runevents.Option
}

// Once returns the event to show: without the answers that were already shown with the previous event about
// the same run.
func (t *Told) Once(e events.Event) events.Event {
	switch d := e.Data.(type) {
	case *runevents.GateDecided:
		t.subject, t.options = e.Subject, d.Options
	case *runevents.EscalationRaised:
		again := len(d.Options) > 0 && t.subject == e.Subject && slices.Equal(t.options, d.Options)
		t.subject, t.options = e.Subject, d.Options
		if again {
			short := *d
			short.Options = nil
			e.Data = &short
		}
	}
	return e
}
