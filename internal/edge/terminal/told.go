package terminal

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Told remembers what was shown, so that one thing is one entry: the answers of a denied gate are those of the
// escalation that follows it, and what the guard told an agent before a tool ran is fired again as an interrupt once
// the turn is judged (GD-21).
type Told struct {
	subject string
	options []runevents.Option
	guard   []guardTold // the latest, oldest first
}

// guardTold is what the guard told a session.
type guardTold struct{ session, text string }

// maxTold limits how many texts of the guard are remembered.
const maxTold = 256

// Once returns the event to show: without the answers that were already shown with the previous event about
// the same run. It returns false for an event that says what was shown.
func (t *Told) Once(e events.Event) (events.Event, bool) {
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
	case *sessionevents.GuardDecided:
		if d.Text != "" {
			t.guard = text.Newest(append(t.guard, guardTold{d.Session, d.Text}), maxTold)
		}
	case *sessionevents.InterruptFired:
		return e, !slices.Contains(t.guard, guardTold{d.Session, d.Message})
	}
	return e, true
}
