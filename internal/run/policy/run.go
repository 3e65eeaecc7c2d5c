// Package run is the run fold of the dispatcher: policies (RW-20, RW-21), Wiggum
// Breaks and the control states they write (RW-30 … RW-34), the escalation ladder
// (RW-40) and the reminders (RW-41).
//
// [Config.Observe] folds an event and concludes what the run's own rules say of
// it. The other layers conclude after it. [Config.Settle] then tells everything:
// it alone turns a wished break into a wiggum.break, an upgrade or a note on the
// open one, so that no two layers break a run twice.
package policy

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// runRules are asked of every run event in this order. Facts come first, so that
// the rules behind them see the run as it is now; among the rules, those that
// halt at once stand before those that let it finish.
var runRules = []func(*fold){
	(*fold).ignoredByRun,   // RW-33: who goes on is judged by the state before the event
	(*fold).place,          // where the run stands (RW-32)
	(*fold).leave,          // its end, and that of its keys (EV-8)
	(*fold).quality,        // what RW-20 compares
	(*fold).resumed,        // RW-34
	(*fold).recovered,      // RW-34, WP-2
	(*fold).agentFailures,  // RW-30
	(*fold).taskFailures,   // RW-30
	(*fold).brokenSuite,    // RW-30
	(*fold).cycle,          // RW-30, RW-31
	(*fold).budget,         // RW-21
	(*fold).taskCheckpoint, // RW-20
	(*fold).keepTime,       // RW-20
}

// fold is one event on its way through the run's rules.
type fold struct {
	*Config
	state *State
	in    step.Input
	v     *verdict.Verdict
}

// Observe concludes what the run's own rules say of an event.
func (c *Config) Observe(s *State, in step.Input, v *verdict.Verdict) {
	f := fold{c, s, in, v}
	switch data := in.Event.Data.(type) {
	case *sessionevents.TurnEvaluated:
		f.turn(data)
	case *sessionevents.Signal:
		f.signal(data)
	case *sessionevents.SessionOpened:
		f.opened(data)
	case *sessionevents.SessionClosed:
		f.closed(data)
	case *runevents.OperatorAct:
		f.act(data)
	case *events.TimerExpired:
		f.timer(data)
	case *sessionevents.InterruptDelivery:
	default:
		if isRunEvent(in.Event.Type) && s.hear(in.Event.Subject) {
			c.observeRun(s, in, v)
		}
	}
}

// observeRun is apart so that turns need no memory for it.
func (c *Config) observeRun(s *State, in step.Input, v *verdict.Verdict) {
	f := fold{c, s, in, v}
	for _, rule := range runRules {
		rule(&f)
	}
}

func isRunEvent(t events.Type) bool {
	d, ok := events.Lookup(t)
	return ok && d.RunEvent
}

// operator reports whether an operator's credential stands behind the event;
// without it the event only claims what it says (EV-10).
func (f *fold) operator() bool { return f.in.Event.Credential == events.RoleOperator }

// timer takes a timer of the run's own; it may come late, twice or stale.
func (f *fold) timer(data *events.TimerExpired) {
	switch {
	case data.Name == checkpointTimer:
		f.timedCheckpoint(data)
	case isReminder(data.Name):
		f.remind(data)
	}
}
