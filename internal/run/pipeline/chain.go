package pipeline

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// fixLoop counts what begins again after a handover that was not full (PL-3).
var fixLoop = Rule{ID: "PL-3", On: run.Types(runevents.TypePhaseStarted), Run: starting(func(c *Context, d *runevents.PhaseStarted) {
	chain := c.run.Degraded
	if len(chain) == 0 {
		return
	}
	last := &chain[len(chain)-1]
	if has(d.Phase, c.config.Phases.Fix) || d.Attempt > 1 || d.Cycle > max(1, last.Cycle) {
		last.FixLoops++
	}
})}

// agentCitations is PL-3 for what an agent found.
var agentCitations = Rule{ID: "PL-3", On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
	c.citations(d.Findings)
})}

// reviewCitations is PL-3 for what a review found.
var reviewCitations = Rule{ID: "PL-3", On: run.Types(runevents.TypeReviewCompleted), Run: run.With(func(c *Context, d *runevents.ReviewCompleted) {
	c.citations(d.Findings)
})}

// citations counts findings that say context was missing (PL-3).
func (c *Context) citations(findings []runevents.Finding) {
	chain := c.run.Degraded
	if len(chain) == 0 {
		return
	}
	for _, f := range findings {
		if c.config.MissingContextPhrase.cites(f) {
			chain[len(chain)-1].Findings++
		}
	}
}

func (m MissingContext) cites(f runevents.Finding) bool {
	return slices.Contains(m.Categories, strings.ToLower(f.Category)) || m.Phrases.MatchString(f.Text)
}
