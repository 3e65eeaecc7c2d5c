package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Context is an event with the layer's configuration and state.
type Context struct {
	*run.Context
	config *Config
	state  *State
	run    *runState

	// agent, cycle and work describe the work of an agent or a review; work is nil for
	// any other event.
	agent agent
	cycle int
	work  *work
	// findings are the findings that the event reports.
	findings []runevents.Finding
	// phase is the ending phase, nil for a kind that is not compared; phaseRan is set if
	// its start is known.
	phase    *phaseTimes
	phaseRan bool
}

// Rule is one rule about shadows.
type Rule = run.Rule[*Context]

// Decide folds an event into the state and adds the conclusions of the rules. It skips
// events that belong neither to a run nor to its sessions.
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
