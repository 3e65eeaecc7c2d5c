package terminal

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Told remembers what was shown, so that one thing is one entry: the answers of a denied gate are those of the
// escalation that follows it, the reason of a halt is that of the gate or break before it, and what the guard told an
// agent before a tool ran is fired again as an interrupt once the turn is judged (GD-21).
type Told struct {
	subject string
	options []runevents.Option
	why     map[string]string // the latest reason, by subject
	guard   []told            // the latest texts of the guard by session, oldest first
	allowed []told            // the latest gates that were opened, likewise by run
}

// told is what was shown about a session or run.
type told struct{ of, text string }

// maxTold limits how many texts are remembered.
const maxTold = 256

// Once returns the event to show: without the answers and reasons that were already shown about the same run. It
// returns false for an event that says what was shown.
func (t *Told) Once(e events.Event) (events.Event, bool) {
	switch d := e.Data.(type) {
	case *runevents.GateDecided:
		if d.Decision == runevents.DecisionAllow {
			return e, remember(&t.allowed, told{e.Subject, runlist.GateName(d)})
		}
		t.subject, t.options = e.Subject, d.Options
		t.because(e.Subject, d.Why)
	case *runevents.EscalationRaised:
		short := *d
		if len(d.Options) > 0 && t.subject == e.Subject && slices.Equal(t.options, d.Options) {
			short.Options = nil
		}
		t.subject, t.options = e.Subject, d.Options
		if why := t.why[e.Subject]; why != "" && !d.Reminder {
			short.Text = strings.TrimSpace(strings.TrimPrefix(d.Text, why))
		}
		e.Data = &short
	case *runevents.WiggumBreak:
		short := *d
		if d.Reason == t.why[e.Subject] {
			short.Reason = ""
		}
		t.because(e.Subject, d.Reason)
		e.Data = &short
	case *runevents.ControlChanged:
		return e, d.State == runevents.ControlRunning || d.Why == "" || d.Why != t.why[e.Subject]
	case *sessionevents.GuardDecided:
		if d.Text != "" {
			remember(&t.guard, told{d.Session, d.Text})
		}
	case *sessionevents.InterruptFired:
		return e, !slices.Contains(t.guard, told{d.Session, d.Message})
	}
	return e, true
}

// because remembers why something about a subject was decided.
func (t *Told) because(subject, why string) {
	if t.why == nil || len(t.why) >= maxTold {
		t.why = map[string]string{}
	}
	t.why[subject] = why
}

// remember adds what is shown, and reports whether it is new.
func remember(list *[]told, one told) bool {
	if slices.Contains(*list, one) {
		return false
	}
	*list = text.Newest(append(*list, one), maxTold)
	return true
}
