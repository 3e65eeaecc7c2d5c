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
	// Group is the group in which it expires, "" for the group that set it: a message from one run to
	// another reaches both through INPUT, as a timer that is due immediately.
	Group   string          `json:"group,omitempty"`
	Details json.RawMessage `json:"details,omitempty"` // returned when it expires
}

// TimerExpired is an expired timer, recorded by the broker (EV-9).
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
