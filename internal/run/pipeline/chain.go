package pipeline

import (
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// fixLoop counts what begins again after a handover that was not full (PL-3).
func (c *Context) fixLoop(d *runevents.PhaseStarted) {
	chain := c.run.Degraded
	if len(chain) == 0 {
		return
	}
	last := &chain[len(chain)-1]
	if has(d.Phase, c.config.Phases.Fix) || d.Attempt > 1 || d.Cycle > max(1, last.Cycle) {
		last.FixLoops++
	}
}

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
	if slices.Contains(m.Categories, strings.ToLower(f.Category)) {
		return true
	}
	text := strings.ToLower(f.Text)
	return slices.ContainsFunc(m.Phrases, func(phrase string) bool { return strings.Contains(text, phrase) })
}
