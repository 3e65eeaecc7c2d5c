package budget

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Decision is one step of dispatch. Most emit an event; some only move a signal within the state.
type Decision interface {
	// Event returns the event that reports the decision; typ is "" if the decision has no event.
	Event() (typ events.Type, data any)
	evolve(*Session)
}

// Evolve folds a decision into the session and returns it, changed in place.
func Evolve(s *Session, d Decision) *Session {
	d.evolve(s)
	return s
}

// silent is embedded by decisions without an event.
type silent struct{}

// Event returns no event.
func (silent) Event() (events.Type, any) { return "", nil }

// collected stores a signal until its turn is closed (DP-10).
type collected struct {
	silent
	signal *sessionevents.Signal
}

func (d collected) evolve(s *Session) { s.Collected = append(s.Collected, d.signal) }

// waits starts a signal's grace turn (DP-12).
type waits struct {
	silent
	signal *sessionevents.Signal
}

func (d waits) evolve(s *Session) {
	s.forget(d.signal.ID)
	s.Pending = append(s.Pending, d.signal)
}

// disposed ends a signal without an interrupt (DP-18).
type disposed struct {
	typ         events.Type
	disposition sessionevents.Disposition
}

// Event returns the disposition's event.
func (d disposed) Event() (events.Type, any) { return d.typ, &d.disposition }

func (d disposed) evolve(s *Session) { s.forget(d.disposition.Signal) }

// opened binds the session to an instance (DP-20).
type opened struct {
	silent
	run, instance string
}

func (d opened) evolve(s *Session) {
	if d.run != "" {
		s.Run = d.run
	}
	s.Instance = d.instance
	s.Closed = false
}

// closed ends the session; its state is kept for a later turn that resumes it (DP-30,
// SW-1a).
type closed struct{ silent }

func (d closed) evolve(s *Session) { s.Closed, s.Noted = true, 0 }

// turnClosed is the last decision of a turn (DP-10).
type turnClosed struct {
	silent
	turn int
	run  string
}

func (d turnClosed) evolve(s *Session) {
	s.Turn, s.Closed = d.turn, false
	if d.run != "" {
		s.Run = d.run
	}
}
