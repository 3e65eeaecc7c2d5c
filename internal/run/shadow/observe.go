package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Observe concludes what an event shows and folds it in. What is no run event
// and no session of a run costs nothing.
func (c *Config) Observe(s *State, in step.Input, v *verdict.Verdict) {
	switch d := in.Event.Data.(type) {
	case *sessionevents.TurnSegmented:
		if d.Run != "" || s.Run != nil {
			c.watch(s, in, v).turn(d)
		}
	case *sessionevents.SessionOpened:
		if d.Run != "" {
			c.watch(s, in, v).opened(d)
		}
	case *events.TimerExpired:
		if d.Name == relayName {
			c.projectRun(s, d, v)
		}
	case *runevents.RunStarted, *runevents.RunCompleted, *runevents.TicketReceived, *runevents.AgentSpawned, *runevents.AgentStarted,
		*runevents.AgentCompleted, *runevents.PhaseStarted, *runevents.PhaseCompleted, *runevents.CycleCompleted, *runevents.ProposalPublished,
		*runevents.MemoryInjected, *runevents.ReviewCompleted, *runevents.TestCompleted:
		c.watch(s, in, v).event()
	}
}

// watcher is one event on its way through the state of its run.
type watcher struct {
	config *Config
	run    *runState
	in     step.Input
	out    *verdict.Verdict
}

func (c *Config) watch(s *State, in step.Input, v *verdict.Verdict) *watcher {
	if s.Run == nil {
		s.Run = &runState{Cycle: 1}
	}
	return &watcher{config: c, run: s.Run, in: in, out: v}
}

func (w *watcher) event() {
	switch d := w.in.Event.Data.(type) {
	case *runevents.RunStarted:
		w.started(d)
	case *runevents.RunCompleted:
		w.undesigned()
		w.boundary()
		w.runCompleted()
	case *runevents.TicketReceived:
		w.asked(d.Title + "\n" + d.Text)
	case *runevents.AgentSpawned:
		w.spawned(d)
	case *runevents.AgentStarted:
		w.run.note(d.AgentID, "", d.Session, w.config.Kept.Agents)
	case *runevents.AgentCompleted:
		w.agentCompleted(d)
	case *runevents.PhaseStarted:
		w.phaseStarted(d)
	case *runevents.PhaseCompleted:
		w.phaseCompleted(d)
	case *runevents.CycleCompleted:
		w.cycleCompleted(d)
	case *runevents.ProposalPublished:
		w.proposed(d)
	case *runevents.MemoryInjected:
		w.injected(d)
	case *runevents.ReviewCompleted:
		w.reviewCompleted(d)
	case *runevents.TestCompleted:
		w.run.TestsAt = w.in.Event.ID
	}
}

func (w *watcher) started(d *runevents.RunStarted) {
	w.run.Project = d.Project
	if d.Project == "" {
		w.run.Project = d.Workspace
	}
	w.run.Workflow = d.Workflow
	w.run.Completed = false
	w.asked(d.Goal)
}

// asked adds to what the run was asked for.
func (w *watcher) asked(text string) {
	w.run.Task = reading.Shorten(w.run.Task+"\n"+text, w.config.Kept.TextBytes)
}

func (w *watcher) opened(d *sessionevents.SessionOpened) {
	s := w.run.session(d.Session, w.config.Kept.Sessions)
	if d.Agent == nil {
		return
	}
	if d.Agent.ID != "" {
		s.AgentID = d.Agent.ID
	}
	w.run.note(d.Agent.ID, archetypeOf(d.Agent.Archetype), d.Session, w.config.Kept.Agents)
}

// spawned takes what is declared of an agent before it runs.
func (w *watcher) spawned(d *runevents.AgentSpawned) {
	archetype := archetypeOf(d.Archetype)
	if archetype == "" {
		archetype = archetypeOf(d.Role)
	}
	a := w.run.note(d.AgentID, archetype, "", w.config.Kept.Agents)
	w.lessonsInPrompt(a, int(d.Lessons))
	w.promptSize(a, d)
	switch a.Archetype {
	case explorer:
		w.run.Explorers = appendBounded(w.run.Explorers, w.in.Event.ID, w.config.Kept.Agents)
		w.explorers()
	case creator:
		w.run.Designer = &designer{Agent: a, Cycle: w.run.Cycle, Waiting: true}
	}
}

// cycleOf is the cycle that an event belongs to: the one it names, which begins
// where it is a later one, else the one that runs.
func (w *watcher) cycleOf(said int) int {
	if said <= 0 {
		return w.run.Cycle
	}
	if said > w.run.Cycle {
		w.boundary()
		w.enter(said)
	}
	return said
}

// enter begins a cycle: what is counted by cycle starts anew. A cycle that is
// over does not begin again.
func (w *watcher) enter(cycle int) {
	if cycle <= w.run.Cycle || cycle > maxCycle {
		return
	}
	w.run.Phases, w.run.Explorers, w.run.TestsAt = nil, nil, ""
	w.run.Cycle = cycle
	for i := range w.run.Reviews {
		w.run.Reviews[i].Findings = nil // tracked by now; the verdict stays
	}
}

// maxCycle is a cycle that no run reaches; more is a mistake.
const maxCycle = 1 << 30
