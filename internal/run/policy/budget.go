package policy

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Spending is what a run has spent and the thresholds it has crossed (RW-21).
type Spending struct {
	Spent   float64 `json:"spent,omitempty"`
	Limit   float64 `json:"limit,omitempty"`   // as reported
	Allowed float64 `json:"allowed,omitempty"` // of run.started
	Within  string  `json:"within,omitempty"`  // unit of Allowed
	Unit    string  `json:"unit,omitempty"`
	Event   string  `json:"event,omitempty"` // of the last report
	Passed  []int   `json:"passed,omitempty"`
	// Rearmed is set after a person resumed the run from a break of the budget:
	// thresholds that are no longer reached under a higher limit can be crossed once
	// more.
	Rearmed bool `json:"rearmed,omitempty"`
	// Before are the reviewers' models before models had to be downgraded, Large those
	// reported since.
	Before []string `json:"before,omitempty"`
	Large  []string `json:"large,omitempty"`
}

// limit returns 0 if there is none, or if spend and limit have different units.
func (s *Spending) limit() float64 {
	switch {
	case s.Limit > 0:
		return s.Limit
	case s.Within != "" && s.Unit != "" && !strings.EqualFold(s.Within, s.Unit):
		return 0
	}
	return s.Allowed
}

// reaches reports whether a percentage of the limit is spent.
func (s *Spending) reaches(percent float64) bool { return s.limit() > 0 && s.compare(percent) >= 0 }

// above reports whether more than a percentage of the limit is spent.
func (s *Spending) above(percent float64) bool { return s.limit() > 0 && s.compare(percent) > 0 }

// compare compares the spend with a percentage of the limit. It uses whole
// millionths, so that a sum of cents reaches a threshold exactly.
func (s *Spending) compare(percent float64) int {
	spentHigh, spentLow := bits.Mul64(millionths(s.Spent), millionths(100))
	limitHigh, limitLow := bits.Mul64(millionths(s.limit()), millionths(percent))
	return cmp.Or(cmp.Compare(spentHigh, limitHigh), cmp.Compare(spentLow, limitLow))
}

// millionths returns an amount of at most 10^12 in millionths.
func millionths(amount float64) uint64 { return uint64(math.Round(min(amount, 1e12) * 1e6)) }

// String returns text such as "8.5 of 10 USD".
func (s *Spending) String() string {
	text := number(s.Spent)
	if s.limit() > 0 {
		text += " of " + number(s.limit())
	}
	if s.Unit != "" {
		text += " " + quote.Name(s.Unit)
	}
	return text
}

// budgetThresholds is RW-21: each threshold once per run; a jump reports all of
// them and acts on the highest.
var budgetThresholds = Rule{ID: "RW-21", On: run.Types(runevents.TypeRunStarted, runevents.TypeSpendReported), Run: func(c *Context) {
	s := &c.state.Spending
	switch data := c.Event.Data.(type) {
	case *runevents.RunStarted:
		if data.Budget != nil {
			s.Allowed, s.Within = max(data.Budget.Limit, 0), data.Budget.Unit
		}
		if s.Unit == "" {
			s.Unit = s.Within
		}
	case *runevents.SpendReported:
		s.report(c.Event.ID, data)
		if t := c.passed(s); t.Trigger != "" {
			c.requestBreak(t.Trigger, fmt.Sprintf("%s spent, which reaches %d%%.", s, t.Percent), []string{c.Event.ID})
		}
	}
}}

// report takes in what an event reports as spent.
func (s *Spending) report(event string, data *runevents.SpendReported) {
	s.Spent, s.Event = max(data.Spent, 0), event
	if data.Limit > 0 {
		s.Limit = data.Limit
	}
	if data.Unit != "" {
		s.Unit = data.Unit
	}
}

// passed reports each newly crossed threshold and returns the highest.
func (c *Context) passed(s *Spending) Threshold {
	var highest Threshold
	for _, t := range c.config.Budget {
		at := slices.Index(s.Passed, t.Percent)
		reached := s.reaches(float64(t.Percent))
		if at >= 0 && !reached && s.Rearmed {
			s.Passed = append(s.Passed[:at], s.Passed[at+1:]...)
		}
		if at >= 0 || !reached {
			continue
		}
		s.Passed = append(s.Passed, t.Percent)
		c.Conclude(runevents.TypePolicyBudget, &runevents.PolicyBudget{Threshold: t.Percent, Action: t.Action, Spent: s.Spent, Limit: s.limit(), Unit: s.Unit})
		highest = t
	}
	return highest
}
