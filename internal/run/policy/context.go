package policy

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Context is an event on its way through the rules. It has a method for each step of each rule, in the file of its
// idea, since a rule about runs has one shape, Rule and Context: that is why they are more than 25.
type Context struct {
	report
	config *Config
	state  *State
	// score compares the ending cycle with the previous one, nil if there is nothing to
	// compare (RW-31).
	score *float64
}

// report is an event with the ways in which the layer reports on it.
type report struct{ *run.Context }

// Rule is one rule about a run as a whole.
type Rule = run.Rule[*Context]

// Decide folds an event into the state and adds the conclusions of the rules.
func (c *Config) Decide(s *State, event *run.Context) {
	if len(layerRules.On(event.Event.Type)) == 0 || event.RunEvent && !s.Begin(event.Event.Subject) {
		return
	}
	layerRules.Run(&Context{report: report{event}, config: c, state: s})
}

// Settle turns the conclusions of all layers into decisions, once the last layer has run.
func (c *Config) Settle(s *State, event *run.Context, out *step.Emitter) {
	c.waits(s, event)
	halted := s.Control.State == runevents.ControlHalted
	c.Config.Decide(&s.State, event, facts{c, s}, out)
	if !halted && s.Control.State == runevents.ControlHalted {
		s.Checkpoint.stop()
	}
}

// waits is PL-33: the run, and its clock, is paused while it waits for an answer that has
// no default.
func (c *Config) waits(s *State, event *run.Context) {
	if !s.Ask(event.Question) {
		return
	}
	if event.Question != nil {
		s.Checkpoint.stop()
		return
	}
	(&Context{report: report{event}, config: c, state: s}).startClock()
}

// facts describes the run to settle.
type facts struct {
	config *Config
	state  *State
}

var _ settle.Facts = facts{}

// TasksCompleted returns the number of completed tasks of the run.
func (f facts) TasksCompleted() int { return f.state.Place.Tasks }

// Unresolved returns the open findings of the last cycle and of the reviews since, the
// most severe first (RW-32).
func (f facts) Unresolved() []runevents.Finding { return f.config.unresolved(f.state) }

// RunState returns the progress of the run (RW-32).
func (f facts) RunState() runevents.RunState { return f.state.runState() }

// Best describes the best cycle or, in a run without cycles, the completed work.
func (f facts) Best() string {
	if best := f.state.Cycles.Best; best != nil {
		return best.String()
	}
	return f.state.Place.result()
}
