package control

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Change is the content of one control.changed event.
type Change struct {
	Key     string // of the run or session in the bucket CONTROL
	Control runevents.Control
	// Ended reports whether the run completed, or the session closed, without being
	// stopped.
	Ended bool
}

// ChangeOf returns the change that an event reports, and false for an event of another
// type.
func ChangeOf(e events.Event) (Change, bool) {
	data, is := e.Data.(*runevents.ControlChanged)
	if !is {
		return Change{}, false
	}
	key := runevents.RunControlKey(e.Subject)
	if data.Scope == runevents.ScopeSession {
		key = runevents.SessionControlKey(e.Subject)
	}
	return Change{Key: key, Control: data.Control(), Ended: data.Ended && data.State == runevents.ControlRunning}, true
}

// Stopped reports whether the change stops anything, or may, because the state is
// unknown.
func (c Change) Stopped() bool { return c.Control.State != runevents.ControlRunning }
