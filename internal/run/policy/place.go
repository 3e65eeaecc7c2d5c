package policy

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Place is the progress of a run (RW-32).
type Place struct {
	Phase     string   `json:"phase,omitempty"`
	Cycle     int      `json:"cycle,omitempty"`
	Task      string   `json:"task,omitempty"`
	AtWork    []string `json:"at_work,omitempty"`   // ids of agents, in the order in which they started
	Last      []string `json:"last,omitempty"`      // ids of events
	Tasks     int      `json:"tasks,omitempty"`     // completed
	Succeeded int      `json:"succeeded,omitempty"` // of those, the successful ones if their outcome is known
	Completed bool     `json:"completed,omitempty"`
}

// lastEvents keeps the last events of the run, for a break to show (RW-32).
var lastEvents = Rule{ID: "RW-32", Folds: true, On: run.EveryRunEvent(), Run: func(c *Context) {
	p := &c.state.Place
	p.Last = text.Newest(append(p.Last, c.Event.ID), c.config.Kept.Events)
}}

// place folds the progress of the run (RW-32).
var place = Rule{
	ID: "RW-32", Folds: true,
	On: run.Types(runevents.TypeRunStarted, runevents.TypeRunResumed, runevents.TypeRunCompleted, runevents.TypePhaseStarted, runevents.TypeAgentSpawned,
		runevents.TypeAgentStarted, runevents.TypeAgentCompleted, runevents.TypeTaskCompleted, runevents.TypeCycleCompleted),
	Run: func(c *Context) {
		p := &c.state.Place
		switch data := c.Event.Data.(type) {
		case *runevents.RunStarted:
			p.Completed = false
		case *runevents.RunResumed: // a resumed run continues even if it had ended
			if c.ByOperator() && c.state.Control.Open != nil {
				p.Completed = false
			}
		case *runevents.RunCompleted:
			p.Completed, p.AtWork = true, nil
		case *runevents.PhaseStarted:
			p.Phase = data.Phase
			p.inCycle(data.Cycle)
		case *runevents.AgentSpawned:
			c.begins(data.AgentID)
		case *runevents.AgentStarted:
			c.begins(agentName(data.AgentID, data.Letter))
		case *runevents.AgentCompleted:
			c.state.agentEnds(data)
		case *runevents.TaskCompleted:
			p.Task = data.Task
			p.Tasks++
			if data.Outcome == runevents.RunOutcomeSuccess {
				p.Succeeded++
			}
		case *runevents.CycleCompleted:
			p.inCycle(data.Cycle)
		}
	},
}

func (s *State) agentEnds(data *runevents.AgentCompleted) {
	p := &s.Place
	for _, name := range []string{data.AgentID, data.Letter} {
		p.AtWork = slices.DeleteFunc(p.AtWork, func(id string) bool { return id == name })
	}
	if data.Phase != "" {
		p.Phase = data.Phase
	}
	if data.Task != "" {
		p.Task = data.Task
	}
	p.inCycle(data.Cycle)
	if session := s.Sessions[data.Session]; session != nil && data.AgentID != "" {
		session.Agent = data.AgentID
	}
}

func (p *Place) inCycle(cycle int) {
	if cycle > 0 {
		p.Cycle = cycle
	}
}

func (c *Context) begins(agent string) {
	p := &c.state.Place
	if agent != "" && !slices.Contains(p.AtWork, agent) {
		p.AtWork = text.Newest(append(p.AtWork, agent), c.config.Kept.Agents)
	}
}

// runState returns the progress of the run, for a break to show.
func (s *State) runState() runevents.RunState {
	p := &s.Place
	out := runevents.RunState{
		Phase: p.Phase, Cycle: p.Cycle, Task: p.Task,
		Agents: slices.Clone(p.AtWork), LastEvents: slices.Clone(p.Last),
	}
	if s.Spending.Spent > 0 || s.Spending.limit() > 0 {
		out.Budget = &runevents.Spending{Spent: s.Spending.Spent, Limit: s.Spending.limit(), Unit: s.Spending.Unit}
	}
	return out
}

// result describes the result of a run without cycles: only successful work counts as
// done (RW-32).
func (p *Place) result() string {
	switch p.Succeeded {
	case 0:
		return "what is committed"
	case 1:
		return "1 task completed"
	}
	return fmt.Sprintf("%d tasks completed", p.Succeeded)
}
