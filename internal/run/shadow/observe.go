package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Observe concludes what an event shows and folds it in. What is no run event
// and no session of a run costs nothing.
func (c *Config) Decide(s *State, event *run.Context) {
	switch d := event.Event.Data.(type) {
	case *sessionevents.TurnSegmented:
		if d.Run != "" || s.Run != nil {
			c.watch(s, event).turn(d)
		}
	case *sessionevents.SessionOpened:
		if d.Run != "" {
			c.watch(s, event).opened(d)
		}
	case *events.TimerExpired:
		if d.Name == relayName {
			c.projectRun(s, d, event)
		}
	case *runevents.RunStarted, *runevents.RunCompleted, *runevents.TicketReceived, *runevents.AgentSpawned, *runevents.AgentStarted,
		*runevents.AgentCompleted, *runevents.PhaseStarted, *runevents.PhaseCompleted, *runevents.CycleCompleted, *runevents.ProposalPublished,
		*runevents.MemoryInjected, *runevents.ReviewCompleted, *runevents.TestCompleted:
		c.watch(s, event).event()
	}
}

// Context is an event on its way through the rules.
type Context struct {
	*run.Context
	config *Config
	run    *runState
}

func (c *Config) watch(s *State, event *run.Context) *Context {
	if s.Run == nil {
		s.Run = &runState{Cycle: 1}
	}
	return &Context{Context: event, config: c, run: s.Run}
}

func (c *Context) event() {
	switch d := c.Event.Data.(type) {
	case *runevents.RunStarted:
		c.started(d)
	case *runevents.RunCompleted:
		c.undesigned()
		c.boundary()
		c.runCompleted()
	case *runevents.TicketReceived:
		c.asked(d.Title + "\n" + d.Text)
	case *runevents.AgentSpawned:
		c.spawned(d)
	case *runevents.AgentStarted:
		c.run.note(d.AgentID, "", d.Session, c.config.Kept.Agents)
	case *runevents.AgentCompleted:
		c.agentCompleted(d)
	case *runevents.PhaseStarted:
		c.phaseStarted(d)
	case *runevents.PhaseCompleted:
		c.phaseCompleted(d)
	case *runevents.CycleCompleted:
		c.cycleCompleted(d)
	case *runevents.ProposalPublished:
		c.proposed(d)
	case *runevents.MemoryInjected:
		c.injected(d)
	case *runevents.ReviewCompleted:
		c.reviewCompleted(d)
	case *runevents.TestCompleted:
		c.run.TestsAt = c.Event.ID
	}
}

func (c *Context) started(d *runevents.RunStarted) {
	c.run.Project = d.Project
	if d.Project == "" {
		c.run.Project = d.Workspace
	}
	c.run.Workflow = d.Workflow
	c.run.Completed = false
	c.asked(d.Goal)
}

// asked adds to what the run was asked for.
func (c *Context) asked(text string) {
	c.run.Task = reading.Shorten(c.run.Task+"\n"+text, c.config.Kept.TextBytes)
}

func (c *Context) opened(d *sessionevents.SessionOpened) {
	s := c.run.session(d.Session, c.config.Kept.Sessions)
	if d.Agent == nil {
		return
	}
	if d.Agent.ID != "" {
		s.AgentID = d.Agent.ID
	}
	c.run.note(d.Agent.ID, archetypeOf(d.Agent.Archetype), d.Session, c.config.Kept.Agents)
}

// spawned takes what is declared of an agent before it runs.
func (c *Context) spawned(d *runevents.AgentSpawned) {
	archetype := archetypeOf(d.Archetype)
	if archetype == "" {
		archetype = archetypeOf(d.Role)
	}
	a := c.run.note(d.AgentID, archetype, "", c.config.Kept.Agents)
	c.lessonsInPrompt(a, int(d.Lessons))
	c.promptSize(a, d)
	switch a.Archetype {
	case explorer:
		c.run.Explorers = appendBounded(c.run.Explorers, c.Event.ID, c.config.Kept.Agents)
		c.explorers()
	case creator:
		c.run.Designer = &designer{Agent: a, Cycle: c.run.Cycle, Waiting: true}
	}
}

// cycleOf is the cycle that an event belongs to: the one it names, which begins
// where it is a later one, else the one that runs.
func (c *Context) cycleOf(said int) int {
	if said <= 0 {
		return c.run.Cycle
	}
	if said > c.run.Cycle {
		c.boundary()
		c.enter(said)
	}
	return said
}

// enter begins a cycle: what is counted by cycle starts anew. A cycle that is
// over does not begin again.
func (c *Context) enter(cycle int) {
	if cycle <= c.run.Cycle || cycle > maxCycle {
		return
	}
	c.run.Phases, c.run.Explorers, c.run.TestsAt = nil, nil, ""
	c.run.Cycle = cycle
	for i := range c.run.Reviews {
		c.run.Reviews[i].Findings = nil // tracked by now; the verdict stays
	}
}

// maxCycle is a cycle that no run reaches; more is a mistake.
const maxCycle = 1 << 30
