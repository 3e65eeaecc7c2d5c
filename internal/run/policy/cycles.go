package policy

import (
	"fmt"
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
