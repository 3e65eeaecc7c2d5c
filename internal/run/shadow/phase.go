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
func (c *Context) phaseStarted(d *runevents.PhaseStarted) {
	c.boundary()
	c.cycleOf(d.Cycle)
	c.workflow(d.Workflow)
	if p := c.phase(d.Phase); p != nil && !p.Running {
		p.Running, p.Began = true, c.Event.Time.UnixNano()
	}
}

func (c *Context) phaseCompleted(d *runevents.PhaseCompleted) {
	c.cycleOf(d.Cycle)
	c.workflow(d.Workflow)
	p := c.phase(d.Phase)
	if p != nil && p.Running {
		p.Running = false
		p.Took += max(0, c.Event.Time.UnixNano()-p.Began)
		p.Event = c.Event.ID
		if p.Name == doPhase {
			c.longPlan()
		}
	}
	if p != nil && p.Name == planPhase && c.run.Designer == nil {
		c.undesigned()
	}
	c.boundary()
}

// workflow takes a phase's workflow where it names the run's kind of workflow.
func (c *Context) workflow(name string) {
	if c.run.Workflow == "" && slices.Contains([]string{"quick", "standard", "thorough"}, name) {
		c.run.Workflow = name
	}
}

// phase are the times of a kind of phase in this cycle, nil for another kind.
func (c *Context) phase(name string) *phaseTimes {
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

// cycleCompleted ends a cycle; its findings are the whole list of them.
func (c *Context) cycleCompleted(d *runevents.CycleCompleted) {
	cycle := c.cycleOf(d.Cycle)
	if d.Findings != nil {
		c.cargoCult(d.Findings, cycle)
		c.listed(d.Findings)
	}
	c.undesigned()
	c.boundary()
	c.enter(cycle + 1)
}

// boundary asks what is asked at the end of a phase, a cycle and the run.
func (c *Context) boundary() {
	c.tunnelVision()
	c.echoChamber()
	c.tooManyTracked()
}
