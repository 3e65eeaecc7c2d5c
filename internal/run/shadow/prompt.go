package shadow

import (
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-22: prompts that hold too much. Each is reported with its cure.

// lessonsSpawned is RW-22 for a spawned agent.
var lessonsSpawned = Rule{ID: "RW-22", On: run.Types(runevents.TypeAgentSpawned), Run: run.With(func(c *Context, d *runevents.AgentSpawned) {
	c.lessonsInPrompt(c.agent, int(d.Lessons))
})}

// lessonsRemembered is RW-22 for lessons from the memory.
var lessonsRemembered = Rule{ID: "RW-22", On: run.Types(runevents.TypeMemoryInjected), Run: run.With(func(c *Context, d *runevents.MemoryInjected) {
	c.agent = c.run.note(d.AgentID, "", "", c.config.Kept.Agents)
	c.lessonsInPrompt(c.agent, len(d.Lessons))
})}

// lessonsInPrompt reports an agent with too many lessons once, whichever event lists them
// (RW-22).
func (c *Context) lessonsInPrompt(a agent, n int) {
	limit := c.config.Context.Lessons
	if n <= limit || a.ID != "" && !c.run.firstReport("RW-22/lessons/"+strconv.Itoa(c.run.Cycle)+"/"+a.ID, c.config.Kept.Reported) {
		return
	}
	c.tellContext("RW-22/lessons", a, held("too_many_lessons", sessionevents.SourceFields, n, limit, "%d lessons in one prompt", n))
}

// promptTooLong is RW-22: it compares a prompt with the context window.
var promptTooLong = Rule{ID: "RW-22", On: run.Types(runevents.TypeAgentSpawned), Run: run.With(func(c *Context, d *runevents.AgentSpawned) {
	percent := c.config.Context.PromptPercent
	if d.PromptTokens <= 0 || d.ContextWindow <= 0 || float64(d.PromptTokens)*100 <= float64(d.ContextWindow)*float64(percent) {
		return
	}
	c.tellContext("RW-22/prompt", c.agent, held("prompt_too_long", sessionevents.SourceFields, d.PromptTokens, percent,
		"a prompt of %d tokens in a context window of %d", d.PromptTokens, d.ContextWindow))
})}

// tooManyTracked is RW-22: too many findings are tracked across cycles. It is reported
// once, until their number has fallen.
var tooManyTracked = Rule{ID: "RW-22", On: boundaries, Run: func(c *Context) {
	n := 0
	var ids []string
	for i := range c.run.Findings {
		if t := &c.run.Findings[i]; t.carried() {
			n++
			ids = append(ids, t.Event)
		}
	}
	limit := c.config.Context.Findings
	crowded := n > limit
	if crowded && !c.run.Crowded {
		c.tellContext("RW-22/findings", agent{}, held("too_many_findings", sessionevents.SourceFields, n, limit, "%d findings are tracked across cycles", n), ids...)
	}
	c.run.Crowded = crowded
}}

func (c *Context) tellContext(rule string, a agent, because *sessionevents.Condition, ids ...string) {
	c.signal(notice{rule: rule, layer: sessionevents.LayerPolicy, agent: a, cycle: c.run.Cycle, events: append(ids, c.Event.ID), because: []sessionevents.Condition{*because}})
}

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
