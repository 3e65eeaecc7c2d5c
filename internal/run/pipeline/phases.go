package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turnOn notes what shows that the run is a pipeline.
func (c *Context) turnOn(data any) {
	if c.run.On {
		return
	}
	switch d := data.(type) {
	case *runevents.RunStarted:
		c.run.On = d.Kind == "pipeline"
	case *runevents.PhaseStarted:
		c.run.On = d.ContractRef != "" || c.pipelineWorkflow(d.Workflow)
	case *runevents.PhaseCompleted:
		c.run.On = d.ContractRef != "" || c.pipelineWorkflow(d.Workflow) || len(d.Artifacts) > 0 || d.ClaimedResult != "" ||
			c.run.Started == "" && strings.TrimSpace(d.Notes) != "" // it hands over notes, and nothing says that it is of another kind
	case *runevents.ContextPersistFailed:
		c.run.On = true
	case *runevents.GateRequested:
		c.run.On = d.Gate == runevents.GateNextPhase
	}
	if c.run.On {
		c.tellWorkspace() // PL-10
	}
}

func (c *Context) pipelineWorkflow(id string) bool {
	return strings.HasPrefix(id, c.config.WorkflowPrefix) || c.workflow(id) != nil
}

func (c *Context) workflow(id string) *Workflow {
	for i := range c.config.Workflows {
		if c.config.Workflows[i].ID == id {
			return &c.config.Workflows[i]
		}
	}
	return nil
}

func (c *Context) runStarted(d *runevents.RunStarted) {
	r := c.run
	r.Kind, r.Started, r.Over = short(d.Kind), c.Event.ID, false
	if d.Workspace != "" {
		r.Workspace = run.GroupOf("workspace", strings.TrimRight(d.Workspace, `/\`))
	}
	if d.Trigger != nil {
		r.OnPartial = short(d.Trigger.OnPartial)
	}
	c.outsideHours(d) // PL-51
	c.asked(d.Goal)
	if r.On {
		c.tellWorkspace()
	}
}

func (c *Context) runCompleted(d *runevents.RunCompleted) {
	if c.run.On {
		if d.Outcome == runevents.RunOutcomeSuccess {
			c.lastStep("") // PL-7
		}
		c.unreported() // PL-41
	}
	c.run.Over = true
	c.run.Open = nil
	c.runEnded()
}

// phaseStarted asks for the gate next_phase (PL-2).
func (c *Context) phaseStarted(d *runevents.PhaseStarted) {
	name := short(d.Phase)
	if !c.run.On && !c.restarts(name, d.Cycle, d.Attempt) { // a resume is judged in any run
		return
	}
	c.lastStep(d.Workflow)
	c.fixLoop(d)
	answer := c.nextPhase(name, d.Cycle, d.Attempt)
	if answer.repeats {
		c.violation(c.phaseJudgement("COMPLETED-PHASE-RESTARTED", "PL-10", d.Phase, "%s", answer.Why))
	}
	c.run.Open = slices.DeleteFunc(c.run.Open, func(p Phase) bool { return p.Name == name || p.Denied })
	c.run.Open = keep(c.run.Open, Phase{
		Name: name, Workflow: short(d.Workflow), Contract: short(canonicalRef(d.ContractRef)), Cycle: d.Cycle, Attempt: d.Attempt,
		Event: c.Event.ID, Denied: answer.Decision == runevents.DecisionDeny,
	}, c.config.Kept.Items)
	c.run.PlanEdits = nil
	c.Gate(answer.GateDecided)
}

// phaseCompleted judges what a phase hands over (PL-1).
func (c *Context) phaseCompleted(d *runevents.PhaseCompleted) {
	if !c.run.On {
		return
	}
	phase := c.close(d)
	if phase.Denied { // acting without an allow is itself a violation
		c.violation(c.phaseJudgement("PHASE-WITHOUT-ALLOW", "PL-2", d.Phase, "Phase %s ran though its gate was not opened.", short(d.Phase)))
	}
	h := c.owes(d, phase)
	c.judge(h, d.Artifacts)
	c.correctedTooEarly(h, phase)
	quality, lacks := c.quality(h, d.Notes)
	if claim := strings.ToLower(strings.TrimSpace(d.ClaimedResult)); claim != "" && claim != quality && h.owed {
		c.warning(c.phaseJudgement("CLAIMED-RESULT", "PL-1", d.Phase, "Phase %s claims to hand over %s; by its contract it is %s, and that counts.", short(d.Phase), short(claim), quality))
	}
	c.handedOver(d, phase, h, quality, lacks)
	c.shaped(h)                                 // PL-41
	c.slicesCompleted(phase, d.Slices, d.Notes) // PL-42
	c.advanced(d)                               // PL-10
}

// close takes a phase out of those at work.
func (c *Context) close(d *runevents.PhaseCompleted) Phase {
	out := Phase{Name: short(d.Phase)}
	if i := slices.IndexFunc(c.run.Open, func(p Phase) bool { return p.Name == out.Name }); i >= 0 {
		out = c.run.Open[i]
		c.run.Open = slices.Delete(c.run.Open, i, i+1)
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

// owes is what a phase has to hand over: by its contract, by its workflow if it
// is the last step (PL-7), else anything.
func (c *Context) owes(d *runevents.PhaseCompleted, phase Phase) *handover {
	h := &handover{phase: d.Phase, contract: phase.Contract, owed: true, rule: "PL-4"}
	if known := c.workflow(phase.Workflow); known != nil && h.contract == "" {
		switch {
		case has(d.Phase, known.Last):
			h.contract, h.rule = known.Emits, "PL-7"
		case c.config.patterns.step.MatchString(d.Phase):
			h.owed = len(d.Artifacts) > 0
		}
	}
	return h
}

// handedOver remembers the handover for the next gate, and asks for a person
// where the policy says so (PL-2).
func (c *Context) handedOver(d *runevents.PhaseCompleted, phase Phase, h *handover, quality, lacks string) {
	r := c.run
	now := &Handed{Phase: phase.Name, Workflow: phase.Workflow, Contract: h.contract, Cycle: phase.Cycle, Quality: quality, Lacks: lacks, Event: c.Event.ID}
	if quality != qualityFull {
		now.Tries = 1
		if r.Last != nil && r.Last.Phase == now.Phase && r.Last.Cycle == now.Cycle {
			now.Tries += r.Last.Tries
		}
		now.Tries = max(now.Tries, min(phase.Attempt, c.config.Kept.Phases))
		r.Degraded = keep(r.Degraded, Degradation{Phase: phase.Name, Cycle: phase.Cycle, Quality: quality, Event: c.Event.ID}, c.config.Kept.Phases)
	}
	r.Last = now
	if r.Unsaved != nil {
		r.Unsaved = nil // what failed to be kept is handed over again
	}
	if quality != qualityFallback {
		r.Done = keep(r.Done, DonePhase{phase.Name, phase.Cycle}, c.config.Kept.Phases)
	}
	for _, a := range h.valid {
		r.Emitted = keep(r.Emitted, canonicalRef(a.Kind), c.config.Kept.Items)
	}
	if c.stops(now) {
		c.Escalate(runevents.EscalationRaised{
			Layer: sessionevents.LayerPipeline, Issue: "handover/" + quality, To: "user", Options: handoverOptions,
			Text: fmt.Sprintf("Phase %s handed over %s: the next phase is not let through.", short(d.Phase), lacks),
		})
	}
}

// lastStep is PL-7 for a workflow that ends: the kind that its last step must
// emit was never emitted, and no phase was held to it.
func (c *Context) lastStep(next string) {
	last := c.run.Last
	if last == nil || last.Workflow == "" || last.Workflow == next || last.Ended {
		return
	}
	last.Ended = true // two phases may begin behind it: one that is denied, and the one that is let through
	emitted := c.run.Emitted
	c.run.Emitted = nil
	known := c.workflow(last.Workflow)
	if known == nil || last.Contract == known.Emits || slices.Contains(emitted, known.Emits) {
		return
	}
	j := c.phaseJudgement("MISSING_REQUIRED_ARTIFACT", "PL-7", last.Phase, "Workflow %s ended with phase %s and emitted no %s.", known.ID, short(last.Phase), known.Emits)
	j.Evidence = c.evidence(last.Event)
	c.violation(j)
}

// correctedTooEarly is PL-6: some fields are for a fix or a retry.
func (c *Context) correctedTooEarly(h *handover, phase Phase) {
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
}
