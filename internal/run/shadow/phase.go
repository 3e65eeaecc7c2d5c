package shadow

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Kinds of phases that RW-13 compares.
const (
	planPhase = "plan"
	doPhase   = "do"
)

// phaseStarted ends what came before it.
func (w *watcher) phaseStarted(d *runevents.PhaseStarted) {
	w.boundary()
	w.cycleOf(d.Cycle)
	w.workflow(d.Workflow)
	if p := w.phase(d.Phase); p != nil && !p.Running {
		p.Running, p.Began = true, w.in.Event.Time.UnixNano()
	}
}

func (w *watcher) phaseCompleted(d *runevents.PhaseCompleted) {
	w.cycleOf(d.Cycle)
	w.workflow(d.Workflow)
	p := w.phase(d.Phase)
	if p != nil && p.Running {
		p.Running = false
		p.Took += max(0, w.in.Event.Time.UnixNano()-p.Began)
		p.Event = w.in.Event.ID
		if p.Name == doPhase {
			w.longPlan()
		}
	}
	if p != nil && p.Name == planPhase && w.run.Designer == nil {
		w.undesigned()
	}
	w.boundary()
}

// workflow takes a phase's workflow where it names the run's kind of workflow.
func (w *watcher) workflow(name string) {
	if w.run.Workflow == "" && slices.Contains([]string{"quick", "standard", "thorough"}, name) {
		w.run.Workflow = name
	}
}

// phase are the times of a kind of phase in this cycle, nil for another kind.
func (w *watcher) phase(name string) *phaseTimes {
	kind := ""
	switch {
	case oneOf(w.config.PlanPhases, name):
		kind = planPhase
	case oneOf(w.config.DoPhases, name):
		kind = doPhase
	default:
		return nil
	}
	for i := range w.run.Phases {
		if w.run.Phases[i].Name == kind {
			return &w.run.Phases[i]
		}
	}
	w.run.Phases = append(w.run.Phases, phaseTimes{Name: kind})
	return &w.run.Phases[len(w.run.Phases)-1]
}

// cycleCompleted ends a cycle; its findings are the whole list of them.
func (w *watcher) cycleCompleted(d *runevents.CycleCompleted) {
	cycle := w.cycleOf(d.Cycle)
	if d.Findings != nil {
		w.cargoCult(d.Findings, cycle)
		w.listed(d.Findings)
	}
	w.undesigned()
	w.boundary()
	w.enter(cycle + 1)
}

// boundary asks what is asked at the end of a phase, a cycle and the run.
func (w *watcher) boundary() {
	w.tunnelVision()
	w.echoChamber()
	w.tooManyTracked()
}
