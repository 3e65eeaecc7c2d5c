package pipeline

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Context is an event on its way through the rules.
type Context struct {
	*run.Context
	config *Config
	state  *State
	run    *Run
}

// Decide concludes what an event means and folds it in.
func (c *Config) Decide(s *State, event *run.Context) {
	w := &Context{Context: event, config: c, state: s, run: s.Run}
	switch d := event.Event.Data.(type) {
	case *sessionevents.TurnEvaluated: // most traffic
		if s.Run != nil && s.Run.On {
			w.planEdits(d) // PL-42
			w.heard(d)     // PL-10
		}
		return
	case *sessionevents.Signal:
		w.creepSignal(d) // PL-40
		return
	case *events.TimerExpired:
		w.timer(d) // PL-10
		return
	case *sessionevents.SessionOpened, *sessionevents.SessionClosed, *runevents.OperatorAct:
		if s.Run != nil {
			w.beside(d)
		}
		return
	}
	if event.RunEvent {
		w.runEvent(event.Event.Data)
	}
}

// beside folds what is about a run without being a run event.
func (c *Context) beside(data any) {
	switch d := data.(type) {
	case *sessionevents.SessionOpened:
		c.asked(d.Task)
		c.opened(d)
	case *sessionevents.SessionClosed:
		c.closed(d)
	case *runevents.OperatorAct:
		if d.Act == "approve" {
			c.waive(d.By)
		}
	}
}

// runEvent is the list of rules that judge a run event.
func (c *Context) runEvent(data any) {
	if c.run == nil {
		c.run = &Run{}
		c.state.Run = c.run
	}
	c.turnOn(data)
	switch d := data.(type) {
	case *runevents.RunStarted:
		c.runStarted(d)
	case *runevents.RunResumed:
		c.resumed(d) // PL-10
	case *runevents.RunCompleted:
		c.runCompleted(d)
	case *runevents.PhaseStarted:
		c.phaseStarted(d) // PL-2, PL-3, PL-7, PL-10
	case *runevents.PhaseCompleted:
		c.phaseCompleted(d) // PL-1, PL-4, PL-6, PL-7
	case *runevents.ContractRegistered:
		c.register(d) // PL-5
	case *runevents.CycleCompleted:
		c.loopControl(d) // PL-8
	case *runevents.ContextAssembled:
		c.contextBudget(d) // PL-9
	case *runevents.ContextPersistFailed:
		c.persistFailed(d) // PL-10
	case *runevents.AgentSpawned:
		c.spawned(d) // PL-20
	case *runevents.AgentStarted:
		c.ownWorktree(d.Isolation == "worktree")
	case *runevents.WorktreeCreated:
		c.ownWorktree(true)
	case *runevents.AgentCompleted:
		c.agentCompleted(d) // PL-3, PL-20, PL-42
	case *runevents.ReviewCompleted:
		c.reviewCompleted(d) // PL-3, PL-20, PL-41
	case *runevents.TaskCompleted:
		c.sliceDone(d.Task, 0) // PL-42
	case *runevents.ScopeChecked:
		c.scopeChecked(d) // PL-40
	case *runevents.TicketReceived:
		c.asked(d.Title)
		c.asked(d.Text)
		for _, one := range d.AcceptanceCriteria {
			c.asked(one)
		}
	case *runevents.ProposalPublished:
		for _, file := range d.Files {
			c.run.Proposed = keep(c.run.Proposed, short(file), c.config.Kept.Files)
		}
	case *runevents.GitCommit:
		c.markdownCommitted(d) // PL-42
	case *runevents.WaveMergeRequested:
		c.mergeGate(d.Wave, false) // PL-41
	case *runevents.MergeCompleted, *runevents.WaveMerged:
		c.merged() // PL-41
	case *runevents.PlanApproved:
		if c.ByOperator() {
			c.waive(d.By)
		}
	case *runevents.GateRequested:
		c.askedAhead(d) // PL-2, PL-20, PL-41
	}
}

// judgement begins what is said of the event at hand.
func (c *Context) judgement(code, rule, what string, arguments ...any) runevents.Judgement {
	return runevents.Judgement{Code: code, Rule: rule, What: fmt.Sprintf(what, arguments...), Evidence: c.evidence()}
}

// evidence is the event at hand, with others before it.
func (c *Context) evidence(earlier ...string) []runevents.Reference {
	out := make([]runevents.Reference, 0, 1+len(earlier))
	for _, id := range earlier {
		if id != "" && id != c.Event.ID {
			out = append(out, runevents.Reference{Event: id})
		}
	}
	return append(out, runevents.Reference{Event: c.Event.ID})
}

func (c *Context) violation(j runevents.Judgement) { c.Violation(runevents.ViolationDetected(j)) }
func (c *Context) warning(j runevents.Judgement)   { c.Warning(runevents.WarningIssued(j)) }
