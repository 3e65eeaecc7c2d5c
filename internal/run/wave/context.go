package wave

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Context is an event on its way through the rules.
type Context struct {
	*run.Context
	config *Config
	state  *State
	actor  runevents.Actor

	// wave and agent are what the event is about, nil where they are not known.
	wave  *Wave
	agent *Agent
	// moved is set where the event moved the state machine.
	moved bool
	// by is who made a commit.
	by role
}

// Rule is one rule of the wave protocol.
type Rule = run.Rule[*Context]

// Decide applies the rules to an event: it folds it into the state and adds what
// the rules conclude. Until a run shows that it uses the protocol, it costs
// nothing.
func (c *Config) Decide(s *State, event *run.Context) {
	if len(layerRules.On(event.Event.Type)) == 0 || !s.concerns(event) {
		return
	}
	context := &Context{Context: event, config: c, state: s}
	if event.RunEvent {
		context.actor, _ = events.ActorOf(event.Event.Data)
	}
	layerRules.Run(context)
}

// aboutAgent adapts a rule about the agent of an event to Rule.Run; it does not run
// where no such agent is known.
func aboutAgent[D any](handle func(*Context, D)) func(*Context) {
	return run.With(func(c *Context, data D) {
		if c.agent != nil {
			handle(c, data)
		}
	})
}
