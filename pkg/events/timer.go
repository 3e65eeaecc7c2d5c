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

// TimerSet requests a timer.expired event at a time (EV-9). The stage writes it to its
// own stream, and a keeper schedules it in TIMERS.
type TimerSet struct {
	Name    string    `json:"name"`              // e.g. "session.idle"
	Session string    `json:"session,omitempty"` // the session the timer is for
	Run     string    `json:"run,omitempty"`
	Due     time.Time `json:"due"`
	// Group is the group in which it expires, "" for the group that set it. A message
	// from one run to another passes through INPUT as a timer that is due immediately, so
	// it reaches both.
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

// News reports whether the timer only carries a message to another group: it is due when
// its cause happened, or earlier. Such a timer is delivered at once, whatever clock dated
// its cause, and does not replace another of the same name.
func (t TimerSet) News(cause Event) bool {
	return t.Group != "" && !t.Due.After(cause.Time)
}
