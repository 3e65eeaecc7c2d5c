package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Cycles is the history of the run's plan-do-check cycles (RW-30, RW-31).
type Cycles struct {
	Last     []Cycle             `json:"last,omitempty"`     // three at most, oldest first
	Resolved []runevents.Finding `json:"resolved,omitempty"` // in earlier cycles
	Reviews  []runevents.Finding `json:"reviews,omitempty"`  // open ones of reviews since the last cycle
	Open     []runevents.Finding `json:"open,omitempty"`     // of the last cycle and the reviews since
	Listed   bool                `json:"listed,omitempty"`   // the publisher lists findings with its cycles
	Scored   bool                `json:"scored,omitempty"`   // the publisher sends scores
	Back     Return              `json:"back,omitzero"`      // findings that recurred in the previous cycle
	Low      Streak              `json:"low,omitzero"`
	Growth   Streak              `json:"growth,omitzero"`
	Best     *Best               `json:"best,omitempty"`
}

// Cycle is a cycle with the findings left open.
type Cycle struct {
	Number   int                 `json:"number,omitempty"`
	Event    string              `json:"event"`
	Findings []runevents.Finding `json:"findings,omitempty"`
}

// Return holds the findings that recurred in a cycle: open, absent and open again
// (RW-30).
type Return struct {
	Findings []runevents.Finding `json:"findings,omitempty"`
	Event    string              `json:"event,omitempty"` // the cycle in which they first occurred
}

// Streak counts consecutive cycles.
type Streak struct {
	Count  int      `json:"count,omitempty"`
	Events []string `json:"events,omitempty"`
}

func (s *Streak) add(event string, limit int) {
	s.Count++
	s.Events = text.Newest(append(s.Events, event), limit)
}

// Best is the cycle with the fewest open findings.
type Best struct {
	Cycle    int `json:"cycle,omitempty"`
	Open     int `json:"open"`
	Critical int `json:"critical,omitempty"`
}

// reviewFindings folds the findings of reviews (RW-32).
var reviewFindings = Rule{ID: "RW-32", Folds: true, On: run.Types(runevents.TypeReviewCompleted, runevents.TypeAgentCompleted), Run: func(c *Context) {
	switch data := c.Event.Data.(type) {
	case *runevents.ReviewCompleted:
		c.reviewed(data.Findings)
	case *runevents.AgentCompleted:
		c.reviewed(data.Findings)
	}
}}

func (c *Context) reviewed(findings []runevents.Finding) {
	if len(findings) == 0 {
		return
	}
	cycles, report := &c.state.Cycles, c.config.trimmed(findings)
	cycles.Reviews = c.config.bounded(c.config.Convergence.Update(cycles.Reviews, report))
	cycles.Open = c.config.bounded(c.config.Convergence.Update(cycles.Open, report))
}

// cycleEnded folds the ending cycle, for the rules that compare it with earlier ones
// (RW-31).
var cycleEnded = Rule{ID: "RW-31", Folds: true, On: run.Types(runevents.TypeCycleCompleted), Run: run.With(func(c *Context, data *runevents.CycleCompleted) {
	cycles := &c.state.Cycles
	now := Cycle{Number: data.Cycle, Event: c.Event.ID, Findings: c.config.Convergence.Open(c.config.trimmed(data.Findings))}
	if len(data.Findings) > 0 {
		cycles.Listed = true
	}
	if !cycles.Listed { // use the findings of its reviews
		now.Findings = cycles.Reviews
	}
	cycles.Reviews, cycles.Open = nil, now.Findings
	cycles.Best = better(cycles.Best, &now)
	if before, _ := cycles.last(); before != nil && !follows(before.Number, now.Number) {
		cycles.Last, cycles.Resolved, cycles.Back, cycles.Low, cycles.Growth = nil, nil, Return{}, Streak{}, Streak{}
	}
	cycles.Last = text.Newest(append(cycles.Last, now), 3)
	c.compareCycles()
})}

// compareCycles compares the ending cycle with the previous one.
func (c *Context) compareCycles() {
	cycles := &c.state.Cycles
	now, before := cycles.last()
	c.state.judged = &runevents.CycleJudged{Open: len(now.Findings), Critical: critical(now.Findings)}
	if before == nil {
		return
	}
	compared := c.config.Convergence.Compare(before.Findings, now.Findings, cycles.Resolved)
	cycles.Resolved = c.config.bounded(c.config.Convergence.Update(compared.Resolved, cycles.Resolved))
	c.score = compared.Score
	judgeCycle(c.state.judged, compared)
}

// last returns the latest cycle and the one before it, nil if missing.
func (c *Cycles) last() (now, before *Cycle) {
	switch n := len(c.Last); n {
	case 0:
		return nil, nil
	case 1:
		return &c.Last[0], nil
	default:
		return &c.Last[n-1], &c.Last[n-2]
	}
}

// follows reports whether a cycle directly follows another. Publishers that number the
// cycles of each task from 1 start a new sequence with each task.
func follows(before, now int) bool { return before <= 0 || now <= 0 || now == before+1 }

func better(best *Best, now *Cycle) *Best {
	one := &Best{Cycle: now.Number, Open: len(now.Findings), Critical: critical(now.Findings)}
	if best != nil && (best.Critical < one.Critical || best.Critical == one.Critical && best.Open < one.Open) {
		return best
	}
	return one
}

// String returns text such as "cycle 2 with 3 open findings, 1 of them CRITICAL".
func (b *Best) String() string {
	text := fmt.Sprintf("%s with %d open findings", cycleName(b.Cycle), b.Open)
	if b.Open == 1 {
		text = strings.TrimSuffix(text, "s")
	}
	if b.Critical > 0 {
		text += fmt.Sprintf(", %d of them CRITICAL", b.Critical)
	}
	return text
}

func cycleName(number int) string {
	if number <= 0 {
		return "this cycle"
	}
	return fmt.Sprintf("cycle %d", number)
}

// trimmed returns findings shortened to the fields that the state keeps.
func (c *Config) trimmed(list []runevents.Finding) []runevents.Finding {
	out := slices.Clone(list[:min(len(list), c.Kept.Findings)])
	for i := range out {
		one := &out[i]
		for _, s := range []*string{&one.ID, &one.Category, &one.File, &one.Text, &one.Fix, &one.Repro} {
			*s = text.Cut(*s, c.Kept.Text)
		}
	}
	return out
}

// bounded keeps the latest findings.
func (c *Config) bounded(list []runevents.Finding) []runevents.Finding {
	return text.Newest(list, c.Kept.Findings)
}

// unresolved returns the open findings of the last cycle and of the reviews since,
// the most severe first (RW-32).
func (c *Config) unresolved(s *State) []runevents.Finding {
	open := slices.Clone(s.Cycles.Open)
	slices.SortStableFunc(open, func(a, b runevents.Finding) int { return gravity(a.Severity) - gravity(b.Severity) })
	return open[:min(len(open), c.Kept.Unresolved)]
}

func gravity(s runevents.Severity) int {
	switch s {
	case runevents.SeverityCritical:
		return 0
	case runevents.SeverityWarning:
		return 1
	}
	return 2
}

func critical(list []runevents.Finding) int {
	n := 0
	for i := range list {
		if list[i].Severity == runevents.SeverityCritical {
			n++
		}
	}
	return n
}

// titles lists findings in a sentence, by id or else by description.
func titles(list []runevents.Finding) string {
	const shown, length = 5, 60
	var names []string
	for i := range list[:min(len(list), shown)] {
		name := list[i].ID
		if name == "" {
			name = `"` + text.Cut(list[i].Text, length) + `"`
		}
		names = append(names, name)
	}
	if len(list) > shown {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

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
