package shadow

import (
	"strconv"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// lessonsInPrompt reports an agent with too many lessons once, whichever event
// names them (RW-22).
func (c *Context) lessonsInPrompt(a agent, n int) {
	limit := c.config.Context.Lessons
	if n <= limit || a.ID != "" && !c.run.tell("RW-22/lessons/"+strconv.Itoa(c.run.Cycle)+"/"+a.ID, c.config.Kept.Told) {
		return
	}
	c.tellContext("RW-22/lessons", a, held("too_many_lessons", fromFields, n, limit, "%d lessons in one prompt", n))
}

// promptSize compares a prompt with the context window (RW-22).
func (c *Context) promptSize(a agent, d *runevents.AgentSpawned) {
	percent := c.config.Context.PromptPercent
	if d.PromptTokens <= 0 || d.ContextWindow <= 0 || float64(d.PromptTokens)*100 <= float64(d.ContextWindow)*float64(percent) {
		return
	}
	c.tellContext("RW-22/prompt", a, held("prompt_too_long", fromFields, d.PromptTokens, percent,
		"a prompt of %d tokens in a context window of %d", d.PromptTokens, d.ContextWindow))
}

// tooManyTracked reports once that too many findings are carried along, until
// there are fewer (RW-22).
func (c *Context) tooManyTracked() {
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
		c.tellContext("RW-22/findings", agent{}, held("too_many_findings", fromFields, n, limit, "%d findings are tracked across cycles", n), ids...)
	}
	c.run.Crowded = crowded
}

func (c *Context) tellContext(rule string, a agent, because *sessionevents.Condition, ids ...string) {
	c.signal(notice{rule: rule, layer: sessionevents.LayerPolicy, agent: a, cycle: c.run.Cycle, events: append(ids, c.Event.ID), because: []sessionevents.Condition{*because}})
}
