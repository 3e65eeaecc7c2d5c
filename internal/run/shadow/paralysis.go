package shadow

import "time"

// longPlan is the first half of RW-13: planning took more than twice as long as
// doing, told when the doing ends. A phase without a beginning is unknown.
func (w *watcher) longPlan() {
	var plan, do *phaseTimes
	for i := range w.run.Phases {
		switch p := &w.run.Phases[i]; p.Name {
		case planPhase:
			plan = p
		case doPhase:
			do = p
		}
	}
	ratio := int64(w.config.System.PlanRatio)
	if plan == nil || do == nil || plan.Took <= 0 || do.Took <= 0 || plan.Took/ratio < do.Took || plan.Took <= ratio*do.Took {
		return
	}
	c := held("plan_longer_than_do", fromFields, 0, 0, "the plan phase took %s, the do phase %s", readable(plan.Took), readable(do.Took))
	c.Value, c.Limit = seconds(plan.Took), seconds(do.Took)*float64(ratio)
	w.tellSystem("RW-13", w.run.Cycle, []string{plan.Event, do.Event}, *c)
}

func seconds(n int64) float64 { return time.Duration(n).Seconds() }

func readable(n int64) string { return time.Duration(n).Round(time.Second).String() }

// explorers is the other half: told at the spawn, since the research goes on
// otherwise.
func (w *watcher) explorers() {
	limit := w.config.System.Explorers
	if len(w.run.Explorers) < limit {
		return
	}
	w.tellSystem("RW-13", w.run.Cycle, w.run.Explorers, *held("explorers_spawned", fromFields, len(w.run.Explorers), limit,
		"an Explorer was spawned %d times", len(w.run.Explorers)))
}
