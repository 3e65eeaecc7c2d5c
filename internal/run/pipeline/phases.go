package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turnOn notes what shows that the run is a pipeline.
func (w *watch) turnOn(data any) {
	if w.run.On {
		return
	}
	switch d := data.(type) {
	case *runevents.RunStarted:
		w.run.On = d.Kind == "pipeline"
	case *runevents.PhaseStarted:
		w.run.On = d.ContractRef != "" || w.pipelineWorkflow(d.Workflow)
	case *runevents.PhaseCompleted:
		w.run.On = d.ContractRef != "" || w.pipelineWorkflow(d.Workflow) || len(d.Artifacts) > 0 || d.ClaimedResult != "" ||
			w.run.Started == "" && strings.TrimSpace(d.Notes) != "" // it hands over notes, and nothing says that it is of another kind
	case *runevents.ContextPersistFailed:
		w.run.On = true
	case *runevents.GateRequested:
		w.run.On = d.Gate == runevents.GateNextPhase
	}
	if w.run.On {
		w.tellWorkspace() // PL-10
	}
}

func (w *watch) pipelineWorkflow(id string) bool {
	return strings.HasPrefix(id, w.WorkflowPrefix) || w.workflow(id) != nil
}

func (w *watch) workflow(id string) *Workflow {
	for i := range w.Workflows {
		if w.Workflows[i].ID == id {
			return &w.Workflows[i]
		}
	}
	return nil
}

func (w *watch) runStarted(d *runevents.RunStarted) {
	r := w.run
	r.Kind, r.Started, r.Over = short(d.Kind), w.in.Event.ID, false
	if d.Workspace != "" {
		r.Workspace = verdict.GroupOf("workspace", strings.TrimRight(d.Workspace, `/\`))
	}
	if d.Trigger != nil {
		r.OnPartial = short(d.Trigger.OnPartial)
	}
	w.outsideHours(d) // PL-51
	w.asked(d.Goal)
	if r.On {
		w.tellWorkspace()
	}
}

func (w *watch) runCompleted(d *runevents.RunCompleted) {
	if w.run.On {
		if d.Outcome == runevents.RunOutcomeSuccess {
			w.lastStep("") // PL-7
		}
		w.unreported() // PL-41
	}
	w.run.Over = true
	w.run.Open = nil
	w.runEnded()
}

// phaseStarted asks for the gate next_phase (PL-2).
func (w *watch) phaseStarted(d *runevents.PhaseStarted) {
	name := short(d.Phase)
	if !w.run.On && !w.restarts(name, d.Cycle, d.Attempt) { // a resume is judged in any run
		return
	}
	w.lastStep(d.Workflow)
	w.fixLoop(d)
	answer := w.nextPhase(name, d.Cycle, d.Attempt)
	if answer.repeats {
		w.violation(w.phaseJudgement("COMPLETED-PHASE-RESTARTED", "PL-10", d.Phase, "%s", answer.Why))
	}
	w.run.Open = slices.DeleteFunc(w.run.Open, func(p Phase) bool { return p.Name == name || p.Denied })
	w.run.Open = keep(w.run.Open, Phase{
		Name: name, Workflow: short(d.Workflow), Contract: short(canonicalRef(d.ContractRef)), Cycle: d.Cycle, Attempt: d.Attempt,
		Event: w.in.Event.ID, Denied: answer.Decision == runevents.DecisionDeny,
	}, w.Kept.Items)
	w.run.PlanEdits = nil
	w.v.Gate(answer.GateDecided)
}

// phaseCompleted judges what a phase hands over (PL-1).
func (w *watch) phaseCompleted(d *runevents.PhaseCompleted) {
	if !w.run.On {
		return
	}
	phase := w.close(d)
	if phase.Denied { // acting without an allow is itself a violation
		w.violation(w.phaseJudgement("PHASE-WITHOUT-ALLOW", "PL-2", d.Phase, "Phase %s ran though its gate was not opened.", short(d.Phase)))
	}
	h := w.owes(d, phase)
	w.judge(h, d.Artifacts)
	w.correctedTooEarly(h, phase)
	quality, lacks := w.quality(h, d.Notes)
	if claim := strings.ToLower(strings.TrimSpace(d.ClaimedResult)); claim != "" && claim != quality && h.owed {
		w.warning(w.phaseJudgement("CLAIMED-RESULT", "PL-1", d.Phase, "Phase %s claims to hand over %s; by its contract it is %s, and that counts.", short(d.Phase), short(claim), quality))
	}
	w.handedOver(d, phase, h, quality, lacks)
	w.shaped(h)                                 // PL-41
	w.slicesCompleted(phase, d.Slices, d.Notes) // PL-42
	w.advanced(d)                               // PL-10
}

// close takes a phase out of those at work.
func (w *watch) close(d *runevents.PhaseCompleted) Phase {
	out := Phase{Name: short(d.Phase)}
	if i := slices.IndexFunc(w.run.Open, func(p Phase) bool { return p.Name == out.Name }); i >= 0 {
		out = w.run.Open[i]
		w.run.Open = slices.Delete(w.run.Open, i, i+1)
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
func (w *watch) owes(d *runevents.PhaseCompleted, phase Phase) *handover {
	h := &handover{phase: d.Phase, contract: phase.Contract, owed: true, rule: "PL-4"}
	if known := w.workflow(phase.Workflow); known != nil && h.contract == "" {
		switch {
		case has(d.Phase, known.Last):
			h.contract, h.rule = known.Emits, "PL-7"
		case w.patterns.step.MatchString(d.Phase):
			h.owed = len(d.Artifacts) > 0
		}
	}
	return h
}

// handedOver remembers the handover for the next gate, and asks for a person
// where the policy says so (PL-2).
func (w *watch) handedOver(d *runevents.PhaseCompleted, phase Phase, h *handover, quality, lacks string) {
	r := w.run
	now := &Handed{Phase: phase.Name, Workflow: phase.Workflow, Contract: h.contract, Cycle: phase.Cycle, Quality: quality, Lacks: lacks, Event: w.in.Event.ID}
	if quality != qualityFull {
		now.Tries = 1
		if r.Last != nil && r.Last.Phase == now.Phase && r.Last.Cycle == now.Cycle {
			now.Tries += r.Last.Tries
		}
		now.Tries = max(now.Tries, min(phase.Attempt, w.Kept.Phases))
		r.Degraded = keep(r.Degraded, Degradation{Phase: phase.Name, Cycle: phase.Cycle, Quality: quality, Event: w.in.Event.ID}, w.Kept.Phases)
	}
	r.Last = now
	if r.Unsaved != nil {
		r.Unsaved = nil // what failed to be kept is handed over again
	}
	if quality != qualityFallback {
		r.Done = keep(r.Done, DonePhase{phase.Name, phase.Cycle}, w.Kept.Phases)
	}
	for _, a := range h.valid {
		r.Emitted = keep(r.Emitted, canonicalRef(a.Kind), w.Kept.Items)
	}
	if w.stops(now) {
		w.v.Escalate(runevents.EscalationRaised{
			Layer: sessionevents.LayerPipeline, Issue: "handover/" + quality, To: "user", Options: handoverOptions,
			Text: fmt.Sprintf("Phase %s handed over %s: the next phase is not let through.", short(d.Phase), lacks),
		})
	}
}

// lastStep is PL-7 for a workflow that ends: the kind that its last step must
// emit was never emitted, and no phase was held to it.
func (w *watch) lastStep(next string) {
	last := w.run.Last
	if last == nil || last.Workflow == "" || last.Workflow == next || last.Ended {
		return
	}
	last.Ended = true // two phases may begin behind it: one that is denied, and the one that is let through
	emitted := w.run.Emitted
	w.run.Emitted = nil
	known := w.workflow(last.Workflow)
	if known == nil || last.Contract == known.Emits || slices.Contains(emitted, known.Emits) {
		return
	}
	j := w.phaseJudgement("MISSING_REQUIRED_ARTIFACT", "PL-7", last.Phase, "Workflow %s ended with phase %s and emitted no %s.", known.ID, short(last.Phase), known.Emits)
	j.Evidence = w.evidence(last.Event)
	w.violation(j)
}

// correctedTooEarly is PL-6: some fields are for a fix or a retry.
func (w *watch) correctedTooEarly(h *handover, phase Phase) {
	if phase.Attempt > 1 || phase.Cycle > 1 || has(phase.Name, w.Phases.Fix) {
		return
	}
	for _, a := range h.valid {
		for _, name := range w.Contracts.OnlyAfterFailure[canonicalRef(a.Kind)] {
			if filled(a, name) {
				w.warning(w.phaseJudgement("FIELD-BEFORE-FAILURE", "PL-6", phase.Name, "Phase %s gives %s in its %s; only a fix or a retry may.", short(phase.Name), name, canonicalRef(a.Kind)))
			}
		}
	}
}
