package policy

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/convergence"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Cycles is what is known of the run's plan-do-check cycles (RW-30, RW-31).
type Cycles struct {
	Last     []Cycle             `json:"last,omitempty"`     // three at most, oldest first
	Resolved []runevents.Finding `json:"resolved,omitempty"` // in earlier cycles
	Reviews  []runevents.Finding `json:"reviews,omitempty"`  // open ones of reviews since the last cycle
	Open     []runevents.Finding `json:"open,omitempty"`     // of the last cycle and the reviews since
	Listed   bool                `json:"listed,omitempty"`   // the publisher lists findings with its cycles
	Scored   bool                `json:"scored,omitempty"`   // and gives scores
	Back     Return              `json:"back,omitzero"`      // what the cycle before last brought back
	Low      Streak              `json:"low,omitzero"`
	Growth   Streak              `json:"growth,omitzero"`
	Best     *Best               `json:"best,omitempty"`
}

// Cycle is one with the findings it left open.
type Cycle struct {
	Number   int                 `json:"number,omitempty"`
	Event    string              `json:"event"`
	Findings []runevents.Finding `json:"findings,omitempty"`
}

// Return is what came back in a cycle: there, gone and there again (RW-30).
type Return struct {
	Findings []runevents.Finding `json:"findings,omitempty"`
	Event    string              `json:"event,omitempty"` // the cycle in which they were there first
}

// Streak counts cycles in a row.
type Streak struct {
	Count  int      `json:"count,omitempty"`
	Events []string `json:"events,omitempty"`
}

func (s *Streak) add(event string, limit int) {
	s.Count++
	s.Events = keepLast(append(s.Events, event), limit)
}

// Best is the cycle with the least left open.
type Best struct {
	Cycle    int `json:"cycle,omitempty"`
	Open     int `json:"open"`
	Critical int `json:"critical,omitempty"`
}

// cycle compares a cycle with those before it.
func (f *fold) cycle() {
	c := &f.state.Cycles
	switch data := f.in.Event.Data.(type) {
	case *runevents.ReviewCompleted:
		f.reviewed(c, data.Findings)
	case *runevents.AgentCompleted:
		f.reviewed(c, data.Findings)
	case *runevents.CycleCompleted:
		f.cycleEnds(c, data)
	}
}

func (f *fold) reviewed(c *Cycles, findings []runevents.Finding) {
	if len(findings) == 0 {
		return
	}
	report := f.trimmed(findings)
	c.Reviews = f.bounded(f.Convergence.Update(c.Reviews, report))
	c.Open = f.bounded(f.Convergence.Update(c.Open, report))
}

func (f *fold) cycleEnds(c *Cycles, data *runevents.CycleCompleted) {
	now := Cycle{Number: data.Cycle, Event: f.in.Event.ID, Findings: f.Convergence.Open(f.trimmed(data.Findings))}
	if len(data.Findings) > 0 {
		c.Listed = true
	}
	if !c.Listed { // what its reviews found, then
		now.Findings = c.Reviews
	}
	c.Reviews, c.Open = nil, now.Findings
	c.Best = better(c.Best, &now)
	if len(c.Last) > 0 && !follows(c.Last[len(c.Last)-1].Number, now.Number) {
		c.Last, c.Resolved, c.Back, c.Low, c.Growth = nil, nil, Return{}, Streak{}, Streak{}
	}
	c.Last = keepLast(append(c.Last, now), 3)
	f.oscillates(c)
	var compared convergence.Comparison
	if n := len(c.Last); n > 1 {
		before := &c.Last[n-2]
		compared = f.Convergence.Compare(before.Findings, now.Findings, c.Resolved)
		c.Resolved = f.bounded(f.Convergence.Update(compared.Resolved, c.Resolved))
		f.identical(before, &now)
	}
	f.converges(c, data.ConvergenceScore, compared.Score)
}

// follows reports whether a cycle is the next one; publishers that number all
// tasks' cycles from 1 begin a new row with each task.
func follows(before, now int) bool { return before <= 0 || now <= 0 || now == before+1 }

// oscillates is RW-30: findings that were there, gone and are there again. Two
// that take turns, so that the cure of one brings back the other, are never back
// in the same cycle: those of the cycle before count with those of this one.
func (f *fold) oscillates(c *Cycles) {
	if len(c.Last) < 3 {
		return
	}
	before := c.Back
	now := f.Convergence.Oscillating(c.Last[0].Findings, c.Last[1].Findings, c.Last[2].Findings)
	c.Back = Return{Findings: now, Event: c.Last[0].Event}
	if len(now) == 0 {
		return
	}
	all, evidence := now, []string{c.Last[0].Event, c.Last[1].Event, c.Last[2].Event}
	if len(now) < f.Oscillating && len(before.Findings) > 0 {
		all, evidence = f.bounded(f.Convergence.Update(before.Findings, now)), append([]string{before.Event}, evidence...)
	}
	if len(all) >= f.Oscillating {
		f.breaks(runevents.TriggerOscillating, fmt.Sprintf("%d findings were there, gone and there again: %s.", len(all), titles(all)), evidence)
	}
}

// identical is RW-31: the same findings as in the cycle before.
func (f *fold) identical(before, now *Cycle) {
	if f.Convergence.Identical(before.Findings, now.Findings) {
		f.breaks(runevents.TriggerIdenticalFindings, fmt.Sprintf("The findings of %s are those of the one before (%d open).", cycleName(now.Number), len(now.Findings)), []string{before.Event, now.Event})
	}
}

// converges is RW-31: scores that stay low, findings that grow in number. A
// publisher that gives scores is taken at its word: a cycle without one neither
// counts nor resets. Computed scores are low just when findings grow, and what
// is seen comes before what is computed from it.
func (f *fold) converges(c *Cycles, given, computed *float64) {
	if given != nil {
		c.Scored = true
		f.low(c, *given)
	}
	f.grows(c)
	if !c.Scored && computed != nil {
		f.low(c, *computed)
	}
}

func (f *fold) low(c *Cycles, score float64) {
	if score >= f.Convergence.ScoreBelow {
		c.Low = Streak{}
		return
	}
	c.Low.add(f.in.Event.ID, f.Convergence.LowCycles)
	if c.Low.Count >= f.Convergence.LowCycles {
		f.breaks(runevents.TriggerLowConvergence, fmt.Sprintf("The convergence score was below %s in %d cycles in a row, last %.2f.", number(f.Convergence.ScoreBelow), c.Low.Count, score), c.Low.Events)
	}
}

func (f *fold) grows(c *Cycles) {
	n := len(c.Last)
	if n < 2 {
		return
	}
	before, now := &c.Last[n-2], &c.Last[n-1]
	if len(now.Findings) <= len(before.Findings) {
		c.Growth = Streak{}
		return
	}
	if c.Growth.Count == 0 {
		c.Growth.Events = []string{before.Event}
	}
	c.Growth.add(now.Event, f.Convergence.Increases+1)
	if c.Growth.Count >= f.Convergence.Increases {
		f.breaks(runevents.TriggerGrowingFindings, fmt.Sprintf("The number of findings rose in %d cycles in a row, in the last one from %d to %d.", c.Growth.Count, len(before.Findings), len(now.Findings)), c.Growth.Events)
	}
}

func better(best *Best, now *Cycle) *Best {
	one := &Best{Cycle: now.Number, Open: len(now.Findings), Critical: critical(now.Findings)}
	if best != nil && (best.Critical < one.Critical || best.Critical == one.Critical && best.Open < one.Open) {
		return best
	}
	return one
}

// String is "cycle 2 with 3 open findings, 1 of them CRITICAL".
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
