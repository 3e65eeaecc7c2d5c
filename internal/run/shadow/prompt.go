package shadow

import (
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
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
