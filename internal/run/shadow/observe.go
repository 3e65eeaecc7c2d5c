package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Observe concludes what an event shows and folds it in. What is no run event
// and no session of a run costs nothing.
func (c *Config) Observe(s *State, in step.Input, v *verdict.Verdict) {
	switch d := in.Event.Data.(type) {
	case *events.TurnSegmented:
		if d.Run != "" || s.Run != nil {
			c.watch(s, in, v).turn(d)
		}
	case *events.SessionOpened:
		if d.Run != "" {
			c.watch(s, in, v).opened(d)
		}
	case *events.TimerExpired:
		if d.Name == relayName {
			c.projectRun(s, d, v)
		}
	case *events.RunStarted, *events.RunCompleted, *events.TicketReceived, *events.AgentSpawned, *events.AgentStarted,
		*events.AgentCompleted, *events.PhaseStarted, *events.PhaseCompleted, *events.CycleCompleted, *events.ProposalPublished,
		*events.MemoryInjected, *events.ReviewCompleted, *events.TestCompleted:
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
	case *events.RunStarted:
		w.started(d)
	case *events.RunCompleted:
		w.undesigned()
		w.boundary()
		w.runCompleted()
	case *events.TicketReceived:
		w.asked(d.Title + "\n" + d.Text)
	case *events.AgentSpawned:
		w.spawned(d)
	case *events.AgentStarted:
		w.run.note(d.AgentID, "", d.Session, w.config.Kept.Agents)
	case *events.AgentCompleted:
		w.agentCompleted(d)
	case *events.PhaseStarted:
		w.phaseStarted(d)
	case *events.PhaseCompleted:
		w.phaseCompleted(d)
	case *events.CycleCompleted:
		w.cycleCompleted(d)
	case *events.ProposalPublished:
		w.proposed(d)
	case *events.MemoryInjected:
		w.injected(d)
	case *events.ReviewCompleted:
		w.reviewCompleted(d)
	case *events.TestCompleted:
		w.run.TestsAt = w.in.Event.ID
	}
}

func (w *watcher) started(d *events.RunStarted) {
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

func (w *watcher) opened(d *events.SessionOpened) {
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
func (w *watcher) spawned(d *events.AgentSpawned) {
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
