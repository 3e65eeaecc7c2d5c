package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turnedOn folds what shows that the run is a pipeline: from there on the gates of
// phases are asked (PL-2).
var turnedOn = Rule{
	ID: "PL-2", Folds: true,
	On: run.Types(runevents.TypeRunStarted, runevents.TypePhaseStarted, runevents.TypePhaseCompleted, runevents.TypeContextPersistFailed, runevents.TypeGateRequested),
	Run: func(c *Context) {
		if c.run.On {
			return
		}
		switch d := c.Event.Data.(type) {
		case *runevents.RunStarted:
			c.run.On = d.Kind == "pipeline"
		case *runevents.PhaseStarted:
			c.run.On = d.ContractRef != "" || c.config.pipelineWorkflow(d.Workflow)
		case *runevents.PhaseCompleted:
			c.run.On = d.ContractRef != "" || c.config.pipelineWorkflow(d.Workflow) || len(d.Artifacts) > 0 || d.ClaimedResult != "" ||
				c.run.Started == "" && strings.TrimSpace(d.Notes) != "" // it hands over notes, and nothing says that it is of another kind
		case *runevents.ContextPersistFailed:
			c.run.On = true
		case *runevents.GateRequested:
			c.run.On = d.Gate == runevents.GateNextPhase
		}
		if c.run.On {
			c.announce() // PL-10
		}
	},
}

func (c *Config) pipelineWorkflow(id string) bool {
	return strings.HasPrefix(id, c.WorkflowPrefix) || c.workflow(id) != nil
}

func (c *Config) workflow(id string) *Workflow {
	for i := range c.Workflows {
		if c.Workflows[i].ID == id {
			return &c.Workflows[i]
		}
	}
	return nil
}

// runStarted folds what the run is, and where.
var runStarted = Rule{ID: "PL-10", Folds: true, On: run.Types(runevents.TypeRunStarted), Run: run.With(func(c *Context, d *runevents.RunStarted) {
	r := c.run
	r.Kind, r.Started, r.Over = short(d.Kind), c.Event.ID, false
	if d.Workspace != "" {
		r.Workspace = run.GroupOf("workspace", strings.TrimRight(d.Workspace, `/\`))
	}
	if d.Trigger != nil {
		r.OnPartial = short(d.Trigger.OnPartial)
	}
})}

// runCompleted ends the run.
var runCompleted = Rule{ID: "PL-10", Folds: true, On: run.Types(runevents.TypeRunCompleted), Run: func(c *Context) {
	c.run.Over = true
	c.run.Open = nil
	c.runEnded()
}}

// starting adapts a rule about a phase that begins; a resume is judged in any run.
func starting(handle func(*Context, *runevents.PhaseStarted)) func(*Context) {
	return run.With(func(c *Context, d *runevents.PhaseStarted) {
		if c.run.On || (nextPhase{c, short(d.Phase), d.Cycle, d.Attempt}).restarts() {
			handle(c, d)
		}
	})
}

// phaseAsked asks for the gate next_phase (PL-2).
var phaseAsked = Rule{ID: "PL-2", Folds: true, On: run.Types(runevents.TypePhaseStarted), Run: starting(func(c *Context, d *runevents.PhaseStarted) {
	c.answer = nextPhase{c, short(d.Phase), d.Cycle, d.Attempt}.answer()
})}

// phaseRepeated is PL-10: what was completed before a resume need not run again.
var phaseRepeated = Rule{ID: "PL-10", On: run.Types(runevents.TypePhaseStarted), Run: starting(func(c *Context, d *runevents.PhaseStarted) {
	if c.answer.repeats {
		c.violation(c.phaseJudgement("COMPLETED-PHASE-RESTARTED", "PL-10", d.Phase, "%s", c.answer.Why))
	}
})}

// phaseStarted folds the phase and answers its gate (PL-2).
var phaseStarted = Rule{ID: "PL-2", On: run.Types(runevents.TypePhaseStarted), Run: starting(func(c *Context, d *runevents.PhaseStarted) {
	name := short(d.Phase)
	c.run.Open = slices.DeleteFunc(c.run.Open, func(p Phase) bool { return p.Name == name || p.Denied })
	c.run.Open = text.Newest(append(c.run.Open, Phase{
		Name: name, Workflow: short(d.Workflow), Contract: short(canonicalRef(d.ContractRef)), Cycle: d.Cycle, Attempt: d.Attempt,
		Event: c.Event.ID, Denied: c.answer.Decision == runevents.DecisionDeny,
	}), c.config.Kept.Items)
	c.run.PlanEdits = nil
	c.Gate(c.answer.GateDecided)
})}

// ending adapts a rule about a phase of a pipeline that ends.
func ending(handle func(*Context, *runevents.PhaseCompleted)) func(*Context) {
	return run.With(func(c *Context, d *runevents.PhaseCompleted) {
		if c.run.On {
			handle(c, d)
		}
	})
}

// phaseClosed folds the end of a phase and what it owes.
var phaseClosed = Rule{ID: "PL-1", Folds: true, On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context, d *runevents.PhaseCompleted) {
	c.phase = c.run.close(d)
	c.handover = c.config.owes(d, c.phase)
})}

// phaseWithoutAllow is PL-2: a phase that ran although its gate was shut.
var phaseWithoutAllow = Rule{ID: "PL-2", On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context, d *runevents.PhaseCompleted) {
	if c.phase.Denied {
		c.violation(c.phaseJudgement("PHASE-WITHOUT-ALLOW", "PL-2", d.Phase, "Phase %s ran though its gate was not opened.", short(d.Phase)))
	}
})}

// resultClaimed is PL-1: how good a handover is follows from its contract.
var resultClaimed = Rule{ID: "PL-1", On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context, d *runevents.PhaseCompleted) {
	h := c.handover
	h.quality, h.lacks = c.config.Handover.quality(h, d.Notes)
	if claim := strings.ToLower(strings.TrimSpace(d.ClaimedResult)); claim != "" && claim != string(h.quality) && h.owed {
		c.warning(c.phaseJudgement("CLAIMED-RESULT", "PL-1", d.Phase, "Phase %s claims to hand over %s; by its contract it is %s, and that counts.", short(d.Phase), short(claim), h.quality))
	}
})}

// close removes a phase from those at work and returns it.
func (r *Run) close(d *runevents.PhaseCompleted) Phase {
	out := Phase{Name: short(d.Phase)}
	if i := slices.IndexFunc(r.Open, func(p Phase) bool { return p.Name == out.Name }); i >= 0 {
		out = r.Open[i]
		r.Open = slices.Delete(r.Open, i, i+1)
	}
	if d.Workflow != "" {
		out.Workflow = short(d.Workflow)
	}
	if d.ContractRef != "" {
		out.Contract = short(canonicalRef(d.ContractRef))
	}
	out.Cycle, out.Attempt = max(out.Cycle, d.Cycle), max(out.Attempt, d.Attempt)
	return out
}

// owes returns what a phase has to hand over: by its contract, by its workflow if it
// is the last step (PL-7), else anything.
func (c *Config) owes(d *runevents.PhaseCompleted, phase Phase) *handover {
	h := &handover{phase: d.Phase, contract: phase.Contract, owed: true, rule: "PL-4"}
	if known := c.workflow(phase.Workflow); known != nil && h.contract == "" {
		switch {
		case has(d.Phase, known.Last):
			h.contract, h.rule = known.Emits, "PL-7"
		case c.Handover.StepsWithoutContract.MatchString(d.Phase):
			h.owed = len(d.Artifacts) > 0
		}
	}
	return h
}

// phaseHandedOver folds the handover for the next gate (PL-1, PL-3).
var phaseHandedOver = Rule{ID: "PL-3", On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context, d *runevents.PhaseCompleted) {
	r, phase, h := c.run, c.phase, c.handover
	now := &Handed{Phase: phase.Name, Workflow: phase.Workflow, Contract: h.contract, Cycle: phase.Cycle, Quality: h.quality, Lacks: h.lacks, Event: c.Event.ID}
	if h.quality != runevents.HandoverFull {
		now.Tries = 1
		if r.Last != nil && r.Last.Phase == now.Phase && r.Last.Cycle == now.Cycle {
			now.Tries += r.Last.Tries
		}
		now.Tries = max(now.Tries, min(phase.Attempt, c.config.Kept.Phases))
		r.Degraded = text.Newest(append(r.Degraded, Degradation{Phase: phase.Name, Cycle: phase.Cycle, Quality: h.quality, Event: c.Event.ID}), c.config.Kept.Phases)
	}
	r.Last = now
	if r.Unsaved != nil {
		r.Unsaved = nil // what failed to be kept is handed over again
	}
	if h.quality != runevents.HandoverFallback {
		r.Done = text.Newest(append(r.Done, DonePhase{phase.Name, phase.Cycle}), c.config.Kept.Phases)
	}
	for _, a := range h.valid {
		r.Emitted = text.Newest(append(r.Emitted, canonicalRef(a.Kind)), c.config.Kept.Items)
	}
})}

// handoverEscalated is PL-2: where only a person lets the run go on, one is asked.
var handoverEscalated = Rule{ID: "PL-2", On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context, d *runevents.PhaseCompleted) {
	h := c.handover
	if c.stops(c.run.Last) {
		c.Escalate(runevents.EscalationRaised{
			Layer: sessionevents.LayerPipeline, Issue: "handover/" + string(h.quality), To: runevents.RecipientUser, Options: handoverOptions,
			Text: fmt.Sprintf("Phase %s handed over %s: the next phase is not let through.", short(d.Phase), h.lacks),
		})
	}
})}

// lastStepAtEnd is PL-7 at the end of a run that succeeded.
var lastStepAtEnd = Rule{ID: "PL-7", On: run.Types(runevents.TypeRunCompleted), Run: run.With(func(c *Context, d *runevents.RunCompleted) {
	if c.run.On && d.Outcome == runevents.RunOutcomeSuccess {
		c.lastStep("")
	}
})}

// lastStepBefore is PL-7 where the next workflow begins.
var lastStepBefore = Rule{ID: "PL-7", On: run.Types(runevents.TypePhaseStarted), Run: starting(func(c *Context, d *runevents.PhaseStarted) {
	c.lastStep(d.Workflow)
})}

// lastStep is PL-7 for a workflow that ends: the kind that its last step must
// emit was never emitted, and no phase was held to it.
func (c *Context) lastStep(next string) {
	last := c.run.Last
	if last == nil || last.Workflow == "" || last.Workflow == next || last.Ended {
		return
	}
	last.Ended = true // two phases may begin after it: one that is denied, and the one that is let through
	emitted := c.run.Emitted
	c.run.Emitted = nil
	known := c.config.workflow(last.Workflow)
	if known == nil || last.Contract == known.Emits || slices.Contains(emitted, known.Emits) {
		return
	}
	j := c.phaseJudgement("MISSING_REQUIRED_ARTIFACT", "PL-7", last.Phase, "Workflow %s ended with phase %s and emitted no %s.", known.ID, short(last.Phase), known.Emits)
	j.Evidence = c.evidence(last.Event)
	c.violation(j)
}

// fieldsBeforeFailure is PL-6: some fields are for a fix or a retry.
var fieldsBeforeFailure = Rule{ID: "PL-6", On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context, _ *runevents.PhaseCompleted) {
	h, phase := c.handover, c.phase
	if phase.Attempt > 1 || phase.Cycle > 1 || has(phase.Name, c.config.Phases.Fix) {
		return
	}
	for _, a := range h.valid {
		for _, name := range c.config.Contracts.OnlyAfterFailure[canonicalRef(a.Kind)] {
			if filled(a, name) {
				c.warning(c.phaseJudgement("FIELD-BEFORE-FAILURE", "PL-6", phase.Name, "Phase %s gives %s in its %s; only a fix or a retry may.", short(phase.Name), name, canonicalRef(a.Kind)))
			}
		}
	}
})}
