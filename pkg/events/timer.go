package events

import (
	"encoding/json"
	"time"
)

// Types of timers (EV-9).
const (
	TypeTimerSet     Type = "timer.set"
	TypeTimerExpired Type = "timer.expired"
)

// TimerSet asks for a timer.expired event at a time (EV-9); the stage that set
// it writes it to its own stream, a keeper schedules it in TIMERS.
type TimerSet struct {
	Name    string    `json:"name"`              // e.g. "session.idle"
	Session string    `json:"session,omitempty"` // whose timer
	Run     string    `json:"run,omitempty"`
	Due     time.Time `json:"due"`
	// Group is where it goes off, "" for the group that set it: what one run has
	// to tell another comes to both through INPUT, as a timer due at once.
	Group   string          `json:"group,omitempty"`
	Details json.RawMessage `json:"details,omitempty"` // given back when it goes off
}

// TimerExpired is a timer that went off, recorded by the broker (EV-9).
type TimerExpired struct {
	Name    string          `json:"name"`
	Session string          `json:"session,omitempty"`
	Run     string          `json:"run,omitempty"`
	Due     time.Time       `json:"due"`
	Details json.RawMessage `json:"details,omitempty"` // of its timer.set
}

// News reports whether the timer only carries something to another group: it is
// due when its cause happened, or before. It comes there at once, whatever clock
// the cause was written by, and replaces no other of its name.
func (t TimerSet) News(cause Event) bool {
	return t.Group != "" && !t.Due.After(cause.Time)
}
