package pipeline

import (
	"math"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// contextTooLarge is PL-9: how large the context is without Tier 0.
var contextTooLarge = Rule{ID: "PL-9", On: run.Types(runevents.TypeContextAssembled), Run: run.With(func(c *Context, d *runevents.ContextAssembled) {
	if bytes := c.config.Context.bytes(d); bytes > c.config.Context.MaxBytes {
		j := c.phaseJudgement("CONTEXT-TOO-LARGE", "PL-9", d.Phase, "The assembled context has %d bytes without Tier 0; more than %d crowd out the task.", bytes, c.config.Context.MaxBytes)
		j.AgentID = short(d.AgentID)
		c.warning(j)
	}
})}

// contextCut is PL-9: the sections of a context are whole.
var contextCut = Rule{ID: "PL-9", On: run.Types(runevents.TypeContextAssembled), Run: run.With(func(c *Context, d *runevents.ContextAssembled) {
	var cut []string
	for _, s := range d.Sections {
		if slices.Contains(c.config.Context.Cut, strings.ToLower(s.Status)) {
			cut = append(cut, s.Name)
		}
	}
	if len(cut) > 0 {
		j := c.phaseJudgement("CONTEXT-SECTION-CUT", "PL-9", d.Phase, "The context was cut within %s: a section is dropped whole or left whole.", several(cut))
		j.AgentID = short(d.AgentID)
		c.warning(j)
	}
})}

// bytes returns our count; a larger claim wins unless it includes Tier 0.
func (l *ContextLimits) bytes(d *runevents.ContextAssembled) int {
	counted, all := 0, 0
	for _, s := range d.Sections {
		if slices.Contains(l.Dropped, strings.ToLower(s.Status)) {
			continue
		}
		all = add(all, s.Bytes)
		if s.Tier == nil || *s.Tier != 0 {
			counted = add(counted, s.Bytes)
		}
	}
	if d.Bytes == all && all > 0 {
		return counted
	}
	return max(counted, d.Bytes)
}

// add sums sizes from publishers without going below zero or overflowing.
func add(sum, n int) int {
	if n <= 0 {
		return sum
	}
	if sum > math.MaxInt-n {
		return math.MaxInt
	}
	return sum + n
}
