package policy

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Context is an event on its way through the rules.
type Context struct {
	*run.Context
	config *Config
	state  *State
	// score is how the cycle that ends compares with the one before, nil where
	// there is nothing to compare (RW-31).
	score *float64
}

// Rule is one rule about a run as a whole.
type Rule = run.Rule[*Context]

// Decide applies the rules to an event: it folds it into the state and adds what
// the rules conclude.
func (c *Config) Decide(s *State, event *run.Context) {
	if len(layerRules.On(event.Event.Type)) == 0 || event.RunEvent && !s.Begin(event.Event.Subject) {
		return
	}
	layerRules.Run(&Context{Context: event, config: c, state: s})
}

// Settle decides what becomes of the conclusions of all layers, once the last of
// them has run.
func (c *Config) Settle(s *State, event *run.Context, out *step.Emitter) {
	c.waits(s, event)
	halted := s.Control.State == runevents.ControlHalted
	c.Config.Decide(&s.State, event, facts{c, s}, out)
	if !halted && s.Control.State == runevents.ControlHalted {
		s.Checkpoint.stop()
	}
}

// waits is PL-33: the run is paused while it waits for an answer that has no
// default, and its clock with it.
func (c *Config) waits(s *State, event *run.Context) {
	if !s.Ask(event.Question) {
		return
	}
	if event.Question != nil {
		s.Checkpoint.stop()
		return
	}
	(&Context{Context: event, config: c, state: s}).startClock()
}

// facts are what settle shows of the run.
type facts struct {
	config *Config
	state  *State
}

var _ settle.Facts = facts{}

// TasksCompleted counts the tasks of the run.
func (f facts) TasksCompleted() int { return f.state.Place.Tasks }

// Unresolved are the open findings of the last cycle and of the reviews since,
// the gravest first (RW-32).
func (f facts) Unresolved() []runevents.Finding { return f.config.unresolved(f.state) }

// RunState is where the run is (RW-32).
func (f facts) RunState() runevents.RunState { return f.state.runState() }

// Best is the best cycle; in a run without cycles, what it completed.
func (f facts) Best() string {
	if best := f.state.Cycles.Best; best != nil {
		return best.String()
	}
	return f.state.Place.result()
}
