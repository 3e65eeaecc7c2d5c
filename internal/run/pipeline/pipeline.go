package pipeline

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
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
	case *events.TurnEvaluated: // most traffic
		if s.Run != nil && s.Run.On {
			w.planEdits(d) // PL-42
			w.heard(d)     // PL-10
		}
		return
	case *events.Signal:
		w.creepSignal(d) // PL-40
		return
	case *events.TimerExpired:
		w.timer(d) // PL-10
		return
	case *events.SessionOpened, *events.SessionClosed, *events.OperatorAct:
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
	case *events.SessionOpened:
		w.asked(d.Task)
		w.opened(d)
	case *events.SessionClosed:
		w.closed(d)
	case *events.OperatorAct:
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
	case *events.RunStarted:
		w.runStarted(d)
	case *events.RunResumed:
		w.resumed(d) // PL-10
	case *events.RunCompleted:
		w.runCompleted(d)
	case *events.PhaseStarted:
		w.phaseStarted(d) // PL-2, PL-3, PL-7, PL-10
	case *events.PhaseCompleted:
		w.phaseCompleted(d) // PL-1, PL-4, PL-6, PL-7
	case *events.ContractRegistered:
		w.register(d) // PL-5
	case *events.CycleCompleted:
		w.loopControl(d) // PL-8
	case *events.ContextAssembled:
		w.contextBudget(d) // PL-9
	case *events.ContextPersistFailed:
		w.persistFailed(d) // PL-10
	case *events.AgentSpawned:
		w.spawned(d) // PL-20
	case *events.AgentStarted:
		w.ownWorktree(d.Isolation == "worktree")
	case *events.WorktreeCreated:
		w.ownWorktree(true)
	case *events.AgentCompleted:
		w.agentCompleted(d) // PL-3, PL-20, PL-42
	case *events.ReviewCompleted:
		w.reviewCompleted(d) // PL-3, PL-20, PL-41
	case *events.TaskCompleted:
		w.sliceDone(d.Task, 0) // PL-42
	case *events.ScopeChecked:
		w.scopeChecked(d) // PL-40
	case *events.TicketReceived:
		w.asked(d.Title)
		w.asked(d.Text)
		for _, one := range d.AcceptanceCriteria {
			w.asked(one)
		}
	case *events.ProposalPublished:
		for _, file := range d.Files {
			w.run.Proposed = keep(w.run.Proposed, short(file), w.Kept.Files)
		}
	case *events.GitCommit:
		w.markdownCommitted(d) // PL-42
	case *events.WaveMergeRequested:
		w.mergeGate(d.Wave, false) // PL-41
	case *events.MergeCompleted, *events.WaveMerged:
		w.merged() // PL-41
	case *events.PlanApproved:
		if in := w.in.Event; in.Credential == events.RoleOperator {
			w.waive(d.By)
		}
	case *events.GateRequested:
		w.askedAhead(d) // PL-2, PL-20, PL-41
	}
}

// judgement begins what is said of the event at hand.
func (w *watch) judgement(code, rule, what string, arguments ...any) events.Judgement {
	return events.Judgement{Code: code, Rule: rule, What: fmt.Sprintf(what, arguments...), Evidence: w.evidence()}
}

// evidence is the event at hand, with others before it.
func (w *watch) evidence(earlier ...string) []events.Reference {
	out := make([]events.Reference, 0, 1+len(earlier))
	for _, id := range earlier {
		if id != "" && id != w.in.Event.ID {
			out = append(out, events.Reference{Event: id})
		}
	}
	return append(out, events.Reference{Event: w.in.Event.ID})
}

func (w *watch) violation(j events.Judgement) { w.v.Violation(events.ViolationDetected(j)) }
func (w *watch) warning(j events.Judgement)   { w.v.Warning(events.WarningIssued(j)) }
