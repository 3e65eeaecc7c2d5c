package pipeline

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// contextUnsaved is PL-10: the next phase would work without what this phase found.
var contextUnsaved = Rule{ID: "PL-10", On: run.Types(runevents.TypeContextPersistFailed), Run: run.With(func(c *Context, d *runevents.ContextPersistFailed) {
	why := d.Why
	if why == "" {
		why = "no reason given"
	}
	c.run.Unsaved = &Unsaved{Phase: short(d.Phase), Why: short(why), Event: c.Event.ID}
	c.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerPipeline, Issue: "context/persist_failed", To: runevents.RecipientUser, Options: slices.Clone(handoverOptions),
		Text: fmt.Sprintf("%s could not be kept (%s): the next phase is not let through.", c.run.Unsaved.context(), short(why)),
	})
})}

// context names what was not kept.
func (u *Unsaved) context() string {
	if u.Phase == "" {
		return "The context"
	}
	return "The context of phase " + u.Phase
}

// runResumed is PL-10: what was completed before a resume need not run again. A
// pointer to a run that ended is ignored.
var runResumed = Rule{ID: "PL-10", On: run.Types(runevents.TypeRunResumed), Run: run.With(func(c *Context, d *runevents.RunResumed) {
	r := c.run
	if own := d.PriorRunID == "" || d.PriorRunID == c.Event.Subject; own && r.Over {
		return
	}
	if c.ByOperator() {
		c.waive(d.By)
	}
	r.Resumed = &Resumption{Event: c.Event.ID, Prior: short(d.PriorRunID), Restored: bounded(d.RestoredPhases, c.config.Kept.Phases), Done: slices.Clone(r.Done)}
	if r.On && r.Workspace != "" {
		c.resumes()
	}
})}

// restarts reports whether the phase was completed before the resume. A
// phase that the resume restores counts, whatever it handed over; another may run
// again to add what it lacks while the next phase waits for that.
func (b nextPhase) restarts() bool {
	before, phase := b.run.Resumed, b.of
	if before == nil || phase == "" {
		return false
	}
	if slices.Contains(before.Restored, phase) && max(b.cycle, 1) == 1 && b.attempt <= 1 {
		return true
	}
	if last := b.run.Last; last != nil && last.Phase == phase && b.blocks(last) {
		return false
	}
	return slices.ContainsFunc(before.Done, func(p DonePhase) bool { return p.Name == phase && max(p.Cycle, 1) == max(b.cycle, 1) })
}
