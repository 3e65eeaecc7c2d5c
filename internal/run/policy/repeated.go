package policy

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Repeats counts how often one shadow was seen in one cycle (RW-30).
type Repeats struct {
	Issue  string   `json:"issue"`
	Cycle  int      `json:"cycle,omitempty"`
	Count  int      `json:"count"`
	Events []string `json:"events,omitempty"`
}

// repeatedShadow is RW-30: the same shadow too often in one cycle.
var repeatedShadow = Rule{ID: "RW-30", On: run.Types(sessionevents.TypeSignalDetected), Run: run.With(func(c *Context, data *sessionevents.Signal) {
	if data.Layer != sessionevents.LayerArchetype || !onLadder(data) {
		return
	}
	seen := c.repeats(data)
	if seen == nil {
		s := c.state
		s.Shadows = settle.KeepLast(append(s.Shadows, Repeats{Issue: data.Subject, Cycle: c.cycleOf(data)}), c.config.Kept.Issues)
		seen = &s.Shadows[len(s.Shadows)-1]
	}
	seen.Count++
	seen.Events = settle.KeepLast(append(seen.Events, c.Event.ID), c.config.RepeatedShadow)
	if c.repeatedTooOften(data) {
		c.requestBreak(runevents.TriggerRepeatedShadow, fmt.Sprintf("%s was seen %d times in %s, the last time: %s", title(data), seen.Count, cycleName(seen.Cycle), settle.Sentence(data.Reason)), seen.Events)
	}
})}

// repeatedTooOften reports whether a shadow reaches the limit in its cycle.
func (c *Context) repeatedTooOften(data *sessionevents.Signal) bool {
	if data.Layer != sessionevents.LayerArchetype {
		return false
	}
	seen := c.repeats(data)
	return seen != nil && seen.Count >= c.config.RepeatedShadow
}

// repeats returns the count of a shadow in its cycle, nil if it was never seen.
func (c *Context) repeats(data *sessionevents.Signal) *Repeats {
	cycle := c.cycleOf(data)
	at := slices.IndexFunc(c.state.Shadows, func(r Repeats) bool { return r.Issue == data.Subject && r.Cycle == cycle })
	if at < 0 {
		return nil
	}
	return &c.state.Shadows[at]
}

// cycleOf returns the cycle of a signal: the one it names, otherwise the current one.
func (c *Context) cycleOf(data *sessionevents.Signal) int {
	if data.Cycle > 0 {
		return data.Cycle
	}
	return c.state.Place.Cycle
}
