package shadow

import (
	"time"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// longPlan is the first half of RW-13: the plan phase took more than twice as long as the
// do phase, reported when the do phase ends. The duration of a phase without a start is
// unknown.
var longPlan = Rule{ID: "RW-13", On: run.Types(runevents.TypePhaseCompleted), Run: func(c *Context) {
	if !c.phaseRan || c.phase.Name != doPhase {
		return
	}
	var plan, do *phaseTimes
	for i := range c.run.Phases {
		switch p := &c.run.Phases[i]; p.Name {
		case planPhase:
			plan = p
		case doPhase:
			do = p
		}
	}
	ratio := int64(c.config.System.PlanRatio)
	if plan == nil || do == nil || plan.Took <= 0 || do.Took <= 0 || plan.Took/ratio < do.Took || plan.Took <= ratio*do.Took {
		return
	}
	condition := held("plan_longer_than_do", sessionevents.SourceFields, 0, 0, "the plan phase took %s, the do phase %s", readable(plan.Took), readable(do.Took))
	condition.Value, condition.Limit = seconds(plan.Took), seconds(do.Took)*float64(ratio)
	c.reportSystem("RW-13", c.run.Cycle, []string{plan.Event, do.Event}, *condition)
}}

func seconds(n int64) float64 { return time.Duration(n).Seconds() }

func readable(n int64) string { return time.Duration(n).Round(time.Second).String() }

// explorersSpawned is the second half of RW-13: reported when an Explorer is spawned,
// since the research would continue otherwise.
var explorersSpawned = Rule{ID: "RW-13", On: run.Types(runevents.TypeAgentSpawned), Run: func(c *Context) {
	if c.agent.Archetype != explorer {
		return
	}
	c.run.Explorers = text.Newest(append(c.run.Explorers, c.Event.ID), c.config.Kept.Agents)
	limit := c.config.System.Explorers
	if len(c.run.Explorers) < limit {
		return
	}
	c.reportSystem("RW-13", c.run.Cycle, c.run.Explorers, *held("explorers_spawned", sessionevents.SourceFields, len(c.run.Explorers), limit,
		"an Explorer was spawned %d times", len(c.run.Explorers)))
}}
