package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Context is an event as the layer's rules see it.
type Context struct {
	*run.Context
	config *Config
	state  *State
	run    *runState

	// agent, cycle and work are what an agent or a review did; work is nil for any
	// other event.
	agent agent
	cycle int
	work  *work
	// findings are those that the event reports.
	findings []runevents.Finding
	// phase is the phase that ends, nil for a kind that is not compared; phaseRan is
	// set where its beginning is known.
	phase    *phaseTimes
	phaseRan bool
}

// Rule is one rule about shadows.
type Rule = run.Rule[*Context]

// Decide applies the rules to an event: it folds the event into the state and adds
// the conclusions of the rules. Events that are neither of a run nor of its
// sessions cost nothing.
func (c *Config) Decide(s *State, event *run.Context) {
	if len(layerRules.On(event.Event.Type)) == 0 || !s.concerns(event.Event.Data) {
		return
	}
	if s.Run == nil && event.Event.Type != events.TypeTimerExpired {
		s.Run = &runState{Cycle: 1}
	}
	layerRules.Run(&Context{Context: event, config: c, state: s, run: s.Run})
}

// concerns reports whether an event belongs to a run; sessions and timers may not.
func (s *State) concerns(data any) bool {
	switch d := data.(type) {
	case *sessionevents.TurnSegmented:
		return d.Run != "" || s.Run != nil
	case *sessionevents.SessionOpened:
		return d.Run != ""
	case *events.TimerExpired:
		return d.Name == run.RelayProject
	}
	return true
}
