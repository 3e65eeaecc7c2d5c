package events

import "time"

// News reports whether the timer only carries something to another group: it is
// due when its cause happened, or before. It comes there at once, whatever clock
// the cause was written by, and replaces no other of its name.
func (t TimerSet) News(cause Event) bool {
	due, err := time.Parse(time.RFC3339Nano, t.Due)
	return err == nil && t.Group != "" && !due.After(cause.Time)
}
