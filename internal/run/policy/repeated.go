package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Repeats counts how often one shadow was seen in one cycle (RW-30).
type Repeats struct {
	Issue string `json:"issue"`
	Cycle int    `json:"cycle,omitempty"`
	Count int    `json:"count"`
	// Reported is how often the orchestrator itself reported it. The two may be about the same work, so that
	// the larger one counts.
	Reported int      `json:"reported,omitempty"`
	Events   []string `json:"events,omitempty"`
}

// repeatedShadow is RW-30: the same shadow too often in one cycle.
var repeatedShadow = Rule{ID: "RW-30", On: run.Types(sessionevents.TypeSignalDetected), Run: run.With(func(c *Context, data *sessionevents.Signal) {
	if data.Layer != sessionevents.LayerArchetype || !onLadder(data) {
		return
	}
	s := sighting{c, data}
	seen := s.counted()
	seen.Count++
	seen.Events = text.Newest(append(seen.Events, c.Event.ID), c.config.RepeatedShadow)
	if s.repeatedTooOften() {
		c.requestBreak(runevents.TriggerRepeatedShadow, fmt.Sprintf("%s was seen %d times in %s, the last time: %s", title(data), seen.Count, cycleName(seen.Cycle), settle.Sentence(data.Reason)), seen.Events)
	}
})}

// reportedShadow is RW-30 for shadows that the orchestrator reports (IN-12), where they are to be counted.
var reportedShadow = Rule{
	ID: "RW-30", On: run.Types(runevents.TypeShadowReported),
	Run: run.With(func(c *Context, d *runevents.ShadowReported) {
		if !c.config.ReportedShadows.Count {
			return
		}
		plain := func(s string) string { return strings.ToLower(text.Cut(strings.TrimSpace(s), 60)) }
		of, name := plain(d.Archetype), strings.NewReplacer(" ", "_", "-", "_").Replace(plain(d.Shadow))
		seen := sighting{c, &sessionevents.Signal{
			Layer: sessionevents.LayerArchetype, Subject: of + "/" + name,
			Cycle: d.Cycle,
		}}.counted()
		seen.Reported++
		seen.Events = text.Newest(append(seen.Events, c.Event.ID), c.config.RepeatedShadow)
		if seen.Reported >= c.config.RepeatedShadow {
			c.requestBreak(runevents.TriggerRepeatedShadow,
				fmt.Sprintf("The orchestrator reported the shadow %s of %s %d times in %s.",
					strings.ReplaceAll(name, "_", " "), of, seen.Reported, cycleName(seen.Cycle)), seen.Events)
		}
	}),
}

// counted returns the count of a shadow in its cycle, a new one if it was never seen.
func (s sighting) counted() *Repeats {
	if seen := s.state.repeats(s.data); seen != nil {
		return seen
	}
	state := s.state
	state.Shadows = text.Newest(
		append(state.Shadows, Repeats{Issue: s.data.Subject, Cycle: state.cycleOf(s.data)}),
		s.config.Kept.Issues,
	)
	return &state.Shadows[len(state.Shadows)-1]
}

// repeatedTooOften reports whether a shadow reaches the limit in its cycle.
func (s sighting) repeatedTooOften() bool {
	if s.data.Layer != sessionevents.LayerArchetype {
		return false
	}
	seen := s.state.repeats(s.data)
	return seen != nil && seen.Count >= s.config.RepeatedShadow
}

// repeats returns the count of a shadow in its cycle, nil if it was never seen.
func (s *State) repeats(data *sessionevents.Signal) *Repeats {
	cycle := s.cycleOf(data)
	at := slices.IndexFunc(s.Shadows, func(r Repeats) bool { return r.Issue == data.Subject && r.Cycle == cycle })
	if at < 0 {
		return nil
	}
	return &s.Shadows[at]
}

// cycleOf returns the cycle of a signal: the one it names, otherwise the current one.
func (s *State) cycleOf(data *sessionevents.Signal) int {
	if data.Cycle > 0 {
		return data.Cycle
	}
	return s.Place.Cycle
}
