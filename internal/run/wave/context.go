package wave

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Context is an event with the layer's configuration and state.
type Context struct {
	machine
	actor runevents.Actor

	// wave and agent are the ones that the event is about, nil if unknown.
	wave  *Wave
	agent *Agent
	// moved is set if the event moved the state machine.
	moved bool
	// by is the author of a commit.
	by role
}

// record is an event with what is known of the run, to report on it.
type record struct {
	*run.Context
	config *Config
	state  *State
}

// machine moves the run through the states of the protocol (WP-16).
type machine struct{ record }

// Rule is one rule of the wave protocol.
type Rule = run.Rule[*Context]

// Decide folds an event into the state and adds the conclusions of the rules. It skips a
// run until it is known to use the protocol.
func (c *Config) Decide(s *State, event *run.Context) {
	if len(layerRules.On(event.Event.Type)) == 0 || !s.concerns(event) {
		return
	}
	context := &Context{machine: machine{record{event, c, s}}}
	if event.RunEvent {
		context.actor, _ = events.ActorOf(event.Event.Data)
	}
	layerRules.Run(context)
}

// aboutAgent adapts a rule about the agent of an event to Rule.Run; the rule does not run
// if the agent is unknown.
func aboutAgent[D any](handle func(*Context, D)) func(*Context) {
	return run.With(func(c *Context, data D) {
		if c.agent != nil {
			handle(c, data)
		}
	})
}
