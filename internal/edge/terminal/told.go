package terminal

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Told remembers what was shown last, so that the same answers do not stand twice
// in a row: a denied gate has them, and the escalation that follows it.
type Told struct {
	subject string
	options []runevents.Option
}

// Once is the event as it is shown: without the answers that the event before it,
// about the same run, had shown.
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
