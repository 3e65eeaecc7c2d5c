package policy

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Place is where a run stands (RW-32).
type Place struct {
	Phase     string   `json:"phase,omitempty"`
	Cycle     int      `json:"cycle,omitempty"`
	Task      string   `json:"task,omitempty"`
	AtWork    []string `json:"at_work,omitempty"` // ids of agents, in the order they began
	Last      []string `json:"last,omitempty"`    // ids of events
	Tasks     int      `json:"tasks,omitempty"`   // completed
	Completed bool     `json:"completed,omitempty"`
}

// place folds where the run stands.
func (f *fold) place() {
	p := &f.state.Place
	p.Last = keepLast(append(p.Last, f.in.Event.ID), f.Kept.Events)
	switch data := f.in.Event.Data.(type) {
	case *runevents.RunStarted:
		p.Completed = false
	case *runevents.RunResumed: // what a person resumes goes on, also where it had said that it ended
		if f.operator() && f.state.Control.Open != nil {
			p.Completed = false
		}
	case *runevents.RunCompleted:
		p.Completed, p.AtWork = true, nil
	case *runevents.PhaseStarted:
		p.Phase = data.Phase
		p.inCycle(data.Cycle)
	case *runevents.AgentSpawned:
		f.begins(data.AgentID)
	case *runevents.AgentStarted:
		f.begins(agentName(data.AgentID, data.Letter))
	case *runevents.AgentCompleted:
		f.agentEnds(data)
	case *runevents.TaskCompleted:
		p.Task = data.Task
		p.Tasks++
	case *runevents.CycleCompleted:
		p.inCycle(data.Cycle)
	}
}

func (f *fold) agentEnds(data *runevents.AgentCompleted) {
	p := &f.state.Place
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
	if session := f.state.Sessions[data.Session]; session != nil && data.AgentID != "" {
		session.Agent = data.AgentID
	}
}

func (p *Place) inCycle(cycle int) {
	if cycle > 0 {
		p.Cycle = cycle
	}
}

func (f *fold) begins(agent string) {
	p := &f.state.Place
	if agent != "" && !slices.Contains(p.AtWork, agent) {
		p.AtWork = keepLast(append(p.AtWork, agent), f.Kept.Agents)
	}
}

// agentName is an agent's id, or its letter in the wave.
func agentName(id, letter string) string {
	if id == "" {
		return letter
	}
	return id
}

// runState is where the run stands, for a break to show.
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
