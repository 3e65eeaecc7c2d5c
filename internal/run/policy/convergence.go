package policy

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// oscillating is RW-30: findings that were open, then absent, and are open again. Two
// that alternate, because the fix of one brings back the other, never recur in the same
// cycle, so the recurrences of the previous cycle count together with this one's.
var oscillating = Rule{ID: "RW-30", On: run.Types(runevents.TypeCycleCompleted), Run: func(c *Context) {
	cycles := &c.state.Cycles
	if len(cycles.Last) < 3 {
		return
	}
	first, second, third := &cycles.Last[0], &cycles.Last[1], &cycles.Last[2]
	before := cycles.Back
	now := c.config.Convergence.Oscillating(first.Findings, second.Findings, third.Findings)
	cycles.Back = Return{Findings: now, Event: first.Event}
	if len(now) == 0 {
		return
	}
	all, evidence := now, []string{first.Event, second.Event, third.Event}
	if len(now) < c.config.Oscillating && len(before.Findings) > 0 {
		all, evidence = c.config.bounded(c.config.Convergence.Update(before.Findings, now)), append([]string{before.Event}, evidence...)
	}
	if len(all) >= c.config.Oscillating {
		c.requestBreak(runevents.TriggerOscillating, fmt.Sprintf("%d findings were there, gone and there again: %s.", len(all), titles(all)), evidence)
	}
}}

// identicalFindings is RW-31: the same findings as in the previous cycle.
var identicalFindings = Rule{ID: "RW-31", On: run.Types(runevents.TypeCycleCompleted), Run: func(c *Context) {
	now, before := c.state.Cycles.last()
	if before != nil && c.config.Convergence.Identical(before.Findings, now.Findings) {
		c.requestBreak(runevents.TriggerIdenticalFindings, fmt.Sprintf("The findings of %s are those of the one before (%d open).", cycleName(now.Number), len(now.Findings)), []string{before.Event, now.Event})
	}
}}

// converging is RW-31: scores stay low, or the number of findings grows. Only the
// publisher's scores count: a cycle without one neither counts nor resets. Computed
// scores are low exactly when findings grow, so growth, which is observed, takes
// precedence.
var converging = Rule{ID: "RW-31", On: run.Types(runevents.TypeCycleCompleted), Run: run.With(func(c *Context, data *runevents.CycleCompleted) {
	cycles := &c.state.Cycles
	if data.ConvergenceScore != nil {
		cycles.Scored = true
		c.low(*data.ConvergenceScore)
	}
	c.grows()
	if !cycles.Scored && c.score != nil {
		c.low(*c.score)
	}
})}

// low counts consecutive scores below the threshold.
func (c *Context) low(score float64) {
	streak, limits := &c.state.Cycles.Low, &c.config.Convergence
	if score >= limits.ScoreBelow {
		*streak = Streak{}
		return
	}
	streak.add(c.Event.ID, limits.LowCycles)
	if streak.Count >= limits.LowCycles {
		c.requestBreak(runevents.TriggerLowConvergence, fmt.Sprintf("The convergence score was below %s in %d cycles in a row, last %.2f.", number(limits.ScoreBelow), streak.Count, score), streak.Events)
	}
}

// grows counts consecutive cycles with more findings than the previous one.
func (c *Context) grows() {
	growth, limits := &c.state.Cycles.Growth, &c.config.Convergence
	now, before := c.state.Cycles.last()
	if before == nil {
		return
	}
	if len(now.Findings) <= len(before.Findings) {
		*growth = Streak{}
		return
	}
	if growth.Count == 0 {
		growth.Events = []string{before.Event}
	}
	growth.add(now.Event, limits.Increases+1)
	if growth.Count >= limits.Increases {
		c.requestBreak(runevents.TriggerGrowingFindings, fmt.Sprintf("The number of findings rose in %d cycles in a row, in the last one from %d to %d.", growth.Count, len(before.Findings), len(now.Findings)), growth.Events)
	}
}
