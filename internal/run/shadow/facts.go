package shadow

import (
	"cmp"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// runStarted folds the run's task.
var runStarted = Rule{ID: "RW-10", Folds: true, On: run.Types(runevents.TypeRunStarted), Run: run.With(func(c *Context, d *runevents.RunStarted) {
	c.run.Project = cmp.Or(d.Project, d.Workspace)
	c.run.Workflow = d.Workflow
	c.run.Completed = false
	c.asked(d.Goal)
})}

// ticketReceived folds the run's task.
var ticketReceived = Rule{ID: "RW-10", Folds: true, On: run.Types(runevents.TypeTicketReceived), Run: run.With(func(c *Context, d *runevents.TicketReceived) {
	c.asked(d.Title + "\n" + d.Text)
})}

// asked adds a text to the run's task.
func (c *Context) asked(s string) {
	c.run.Task = text.Valid(text.Head(c.run.Task+"\n"+s, c.config.Kept.TextBytes))
}

// agentSpawned folds the declaration of an agent before it runs.
var agentSpawned = Rule{ID: "RW-1", Folds: true, On: run.Types(runevents.TypeAgentSpawned), Run: run.With(func(c *Context, d *runevents.AgentSpawned) {
	archetype := cmp.Or(archetypeOf(d.Archetype), archetypeOf(d.Role))
	c.agent = c.run.note(d.AgentID, archetype, "", c.config.Kept.Agents)
})}

// designerSpawned folds that a Creator is working.
var designerSpawned = Rule{ID: "RW-2", Folds: true, On: run.Types(runevents.TypeAgentSpawned), Run: func(c *Context) {
	if c.agent.Archetype == creator {
		c.run.Designer = &designer{Agent: c.agent, Cycle: c.run.Cycle, Waiting: true}
	}
}}

// agentStarted folds the session of an agent.
var agentStarted = Rule{ID: "RW-1", Folds: true, On: run.Types(runevents.TypeAgentStarted), Run: run.With(func(c *Context, d *runevents.AgentStarted) {
	c.run.note(d.AgentID, "", d.Session, c.config.Kept.Agents)
})}

// sessionOpened folds the agent of a session.
var sessionOpened = Rule{ID: "RW-1", Folds: true, On: run.Types(sessionevents.TypeSessionOpened), Run: run.With(func(c *Context, d *sessionevents.SessionOpened) {
	s := c.run.session(d.Session, c.config.Kept.Sessions)
	if d.Agent == nil {
		return
	}
	if d.Agent.ID != "" {
		s.AgentID = d.Agent.ID
	}
	c.run.note(d.Agent.ID, archetypeOf(d.Agent.Archetype), d.Session, c.config.Kept.Agents)
})}

// testCompleted folds the last test run that the agents did not do themselves.
var testCompleted = Rule{ID: "RW-3", Folds: true, On: run.Types(runevents.TypeTestCompleted), Run: func(c *Context) {
	c.run.TestsAt = c.Event.ID
}}

// cycleOf returns the cycle of an event: the one it names, which starts if it is later
// than the current one, otherwise the current one.
func (c *Context) cycleOf(said int) int {
	if said <= 0 {
		return c.run.Cycle
	}
	if said > c.run.Cycle {
		c.boundary()
		c.run.enter(said)
	}
	return said
}

// enter starts a cycle and resets the counts of a cycle. A completed cycle does not start
// again.
func (r *runState) enter(cycle int) {
	if cycle <= r.Cycle || cycle > maxCycle {
		return
	}
	r.Phases, r.Explorers, r.TestsAt = nil, nil, ""
	r.Cycle = cycle
	for i := range r.Reviews {
		r.Reviews[i].Findings = nil // tracked by now; the verdict is kept
	}
}

// maxCycle is a number that no run reaches; a larger one is an error.
const maxCycle = 1 << 30
