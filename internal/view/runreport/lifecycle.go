package runreport

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// course folds what the run reports of itself.
type course struct{ *Fold }

// runEvent folds a fact of the run, or a claim of one.
func (f course) runEvent(ev events.Event, described events.Descriptor) {
	f.ran = true
	f.run.Events++
	f.coverage.heard(ev)
	if Claimed(ev, described) {
		f.coverage.claim(ev)
		return // told, not a fact (EV-10)
	}
	f.lifecycle(ev)
}

func (f course) lifecycle(ev events.Event) {
	switch d := ev.Data.(type) {
	case *runevents.RunStarted:
		f.started(ev, d)
	case *runevents.RunResumed:
		f.goesOn()
		f.moment(ev, "run resumed", joined(mentioned(d.By), passage(d.Why)))
	case *runevents.RunCompleted:
		f.finished(ev, d)
	case *runevents.PhaseStarted:
		f.moment(ev, "phase started", mentioned(d.Phase))
	case *runevents.PhaseCompleted:
		f.moment(ev, "phase completed", mentioned(d.Phase))
	case *runevents.AgentStarted:
		f.sessions.agent(f.Fold, d.Session, d.AgentID)
	case *runevents.AgentCompleted:
		f.sessions.agent(f.Fold, d.Session, d.AgentID)
	case *runevents.CycleCompleted:
		decided(f).cycle(ev, d)
	case *runevents.MergeCompleted:
		f.moment(ev, "merged", mentioned(d.SHA))
	case *runevents.WaveMerged:
		f.moment(ev, "wave merged", fmt.Sprintf("wave %d", d.Wave))
	case *runevents.TestCompleted:
		f.tested(ev, d)
	case *runevents.SpendReported:
		f.spent(d)
	case *runevents.RecoverySelected:
		f.moment(ev, "recovery chosen", joined(mentioned(d.By), passage(d.Why)))
	}
}

func (f course) started(ev events.Event, d *runevents.RunStarted) {
	f.goesOn()
	short := f.settings.short
	f.run.Kind, f.run.Goal, f.run.Project = d.Kind, short(d.Goal), short(d.Project)
	f.run.Workspace, f.run.Workflow = short(d.Workspace), d.Workflow
	if d.Budget != nil && f.cost.Reports == 0 {
		f.cost.Limit, f.cost.Unit = d.Budget.Limit, d.Budget.Unit
	}
	f.moment(ev, "run started", passage(d.Goal))
}

// goesOn undoes an end: the run was begun or resumed again.
func (f course) goesOn() {
	f.run.Completed, f.run.Outcome = false, ""
}

func (f course) finished(ev events.Event, d *runevents.RunCompleted) {
	f.run.Completed, f.run.Outcome = true, f.settings.short(d.Outcome)
	f.run.PRURL, f.run.Summary = f.settings.short(d.PRURL), f.settings.short(d.Summary)
	f.moment(ev, "run completed", mentioned(d.Outcome))
}

func (f course) tested(ev events.Event, d *runevents.TestCompleted) {
	if !d.Passed {
		f.moment(ev, "tests failed", mentioned(d.Suite))
	}
}

// spent is what the run has spent so far, as it says (RW-21).
func (f course) spent(d *runevents.SpendReported) {
	f.cost.Reports++
	f.cost.Spent = d.Spent
	if d.Limit > 0 {
		f.cost.Limit = d.Limit
	}
	if d.Unit != "" {
		f.cost.Unit = d.Unit
	}
}
