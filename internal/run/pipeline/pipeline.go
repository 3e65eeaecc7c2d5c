package pipeline

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// watch is one event on its way through the rules.
type watch struct {
	*Config
	state *State
	run   *Run
	in    step.Input
	v     *verdict.Verdict
}

// Decide concludes what an event means and folds it in.
func (c *Config) Decide(s *State, in step.Input, v *verdict.Verdict) {
	w := &watch{Config: c, state: s, run: s.Run, in: in, v: v}
	switch d := in.Event.Data.(type) {
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
	if known, ok := events.Lookup(in.Event.Type); ok && known.RunEvent {
		w.runEvent(in.Event.Data)
	}
}

// beside folds what is about a run without being a run event.
func (w *watch) beside(data any) {
	switch d := data.(type) {
	case *sessionevents.SessionOpened:
		w.asked(d.Task)
		w.opened(d)
	case *sessionevents.SessionClosed:
		w.closed(d)
	case *runevents.OperatorAct:
		if d.Act == "approve" {
			w.waive(d.By)
		}
	}
}

// runEvent is the list of rules that judge a run event.
func (w *watch) runEvent(data any) {
	if w.run == nil {
		w.run = &Run{}
		w.state.Run = w.run
	}
	w.turnOn(data)
	switch d := data.(type) {
	case *runevents.RunStarted:
		w.runStarted(d)
	case *runevents.RunResumed:
		w.resumed(d) // PL-10
	case *runevents.RunCompleted:
		w.runCompleted(d)
	case *runevents.PhaseStarted:
		w.phaseStarted(d) // PL-2, PL-3, PL-7, PL-10
	case *runevents.PhaseCompleted:
		w.phaseCompleted(d) // PL-1, PL-4, PL-6, PL-7
	case *runevents.ContractRegistered:
		w.register(d) // PL-5
	case *runevents.CycleCompleted:
		w.loopControl(d) // PL-8
	case *runevents.ContextAssembled:
		w.contextBudget(d) // PL-9
	case *runevents.ContextPersistFailed:
		w.persistFailed(d) // PL-10
	case *runevents.AgentSpawned:
		w.spawned(d) // PL-20
	case *runevents.AgentStarted:
		w.ownWorktree(d.Isolation == "worktree")
	case *runevents.WorktreeCreated:
		w.ownWorktree(true)
	case *runevents.AgentCompleted:
		w.agentCompleted(d) // PL-3, PL-20, PL-42
	case *runevents.ReviewCompleted:
		w.reviewCompleted(d) // PL-3, PL-20, PL-41
	case *runevents.TaskCompleted:
		w.sliceDone(d.Task, 0) // PL-42
	case *runevents.ScopeChecked:
		w.scopeChecked(d) // PL-40
	case *runevents.TicketReceived:
		w.asked(d.Title)
		w.asked(d.Text)
		for _, one := range d.AcceptanceCriteria {
			w.asked(one)
		}
	case *runevents.ProposalPublished:
		for _, file := range d.Files {
			w.run.Proposed = keep(w.run.Proposed, short(file), w.Kept.Files)
		}
	case *runevents.GitCommit:
		w.markdownCommitted(d) // PL-42
	case *runevents.WaveMergeRequested:
		w.mergeGate(d.Wave, false) // PL-41
	case *runevents.MergeCompleted, *runevents.WaveMerged:
		w.merged() // PL-41
	case *runevents.PlanApproved:
		if in := w.in.Event; in.Credential == events.RoleOperator {
			w.waive(d.By)
		}
	case *runevents.GateRequested:
		w.askedAhead(d) // PL-2, PL-20, PL-41
	}
}

// judgement begins what is said of the event at hand.
func (w *watch) judgement(code, rule, what string, arguments ...any) runevents.Judgement {
	return runevents.Judgement{Code: code, Rule: rule, What: fmt.Sprintf(what, arguments...), Evidence: w.evidence()}
}

// evidence is the event at hand, with others before it.
func (w *watch) evidence(earlier ...string) []runevents.Reference {
	out := make([]runevents.Reference, 0, 1+len(earlier))
	for _, id := range earlier {
		if id != "" && id != w.in.Event.ID {
			out = append(out, runevents.Reference{Event: id})
		}
	}
	return append(out, runevents.Reference{Event: w.in.Event.ID})
}

func (w *watch) violation(j runevents.Judgement) { w.v.Violation(runevents.ViolationDetected(j)) }
func (w *watch) warning(j runevents.Judgement)   { w.v.Warning(runevents.WarningIssued(j)) }
