package shadow

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Kinds of phases that RW-13 compares.
const (
	planPhase = "plan"
	doPhase   = "do"
)

// phaseStarted folds the start of a phase, which ends the one before it.
var phaseStarted = Rule{ID: "RW-13", Folds: true, On: run.Types(runevents.TypePhaseStarted), Run: run.With(func(c *Context, d *runevents.PhaseStarted) {
	c.boundary()
	c.cycleOf(d.Cycle)
	c.run.workflow(d.Workflow)
	if p := c.timesOf(d.Phase); p != nil && !p.Running {
		p.Running, p.Began = true, c.Event.Time.UnixNano()
	}
})}

// phaseCompleted folds the duration of a phase.
var phaseCompleted = Rule{ID: "RW-13", Folds: true, On: run.Types(runevents.TypePhaseCompleted), Run: run.With(func(c *Context, d *runevents.PhaseCompleted) {
	c.cycleOf(d.Cycle)
	c.run.workflow(d.Workflow)
	p := c.timesOf(d.Phase)
	if c.phase = p; p != nil && p.Running {
		c.phaseRan = true
		p.Running = false
		p.Took += max(0, c.Event.Time.UnixNano()-p.Began)
		p.Event = c.Event.ID
	}
})}

// workflow keeps a phase's workflow if it is the run's kind of workflow.
func (r *runState) workflow(name string) {
	if r.Workflow == "" && slices.Contains([]string{"quick", "standard", "thorough"}, name) {
		r.Workflow = name
	}
}

// timesOf returns the times of a kind of phase in this cycle, nil for any other kind.
func (c *Context) timesOf(name string) *phaseTimes {
	kind := ""
	switch {
	case oneOf(c.config.PlanPhases, name):
		kind = planPhase
	case oneOf(c.config.DoPhases, name):
		kind = doPhase
	default:
		return nil
	}
	for i := range c.run.Phases {
		if c.run.Phases[i].Name == kind {
			return &c.run.Phases[i]
		}
	}
	c.run.Phases = append(c.run.Phases, phaseTimes{Name: kind})
	return &c.run.Phases[len(c.run.Phases)-1]
}

// cycleCompleted folds the ending cycle, whose findings are the complete list.
var cycleCompleted = Rule{ID: "RW-14", Folds: true, On: run.Types(runevents.TypeCycleCompleted), Run: run.With(func(c *Context, d *runevents.CycleCompleted) {
	c.cycle, c.findings = c.cycleOf(d.Cycle), d.Findings
})}

// cycleEntered starts the next cycle.
var cycleEntered = Rule{ID: "RW-14", Folds: true, On: run.Types(runevents.TypeCycleCompleted), Run: func(c *Context) {
	c.run.enter(c.cycle + 1)
}}

// boundary applies the rules for the end of a phase, a cycle or the run.
var boundary = Rule{ID: "RW-10", Folds: true, On: run.Types(runevents.TypePhaseCompleted, runevents.TypeCycleCompleted, runevents.TypeRunCompleted), Run: (*Context).boundary}

func (c *Context) boundary() { boundaryRules.Run(c) }
