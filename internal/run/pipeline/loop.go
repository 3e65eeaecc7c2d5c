package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// loopControl is PL-8: a loop must continue or stop by what it found.
var loopControl = Rule{ID: "PL-8", On: run.Types(runevents.TypeCycleCompleted), Run: run.With(func(c *Context, d *runevents.CycleCompleted) {
	for i := range c.run.Open { // the next iteration begins (PL-42)
		c.run.Open[i].Slices, c.run.Open[i].Warned = nil, false
	}
	if d.Decision == "" || !c.run.On && c.run.Kind != "" {
		return
	}
	open := openFindings(d.Findings)
	switch {
	case len(open) > 0 && d.Decision == "stop" && d.LimitReached:
		c.run.Leftovers = text.Newest(append(c.run.Leftovers, Leftover{
			Cycle: d.Cycle, Event: c.Event.ID, Findings: bounded(open, c.config.Kept.Items), Residual: bounded(said(d.Residual), c.config.Kept.Items),
		}), c.config.Kept.Phases)
	case len(open) > 0 && d.Decision == "stop":
		c.warning(c.judgement("LOOP-STOPPED-WITH-FINDINGS", "PL-8", "Cycle %d stops with %s open, below the limit of its loop: %s.", d.Cycle, text.Count(len(open), "finding"), several(open)))
	case len(open) == 0 && d.Decision == "continue":
		c.warning(c.judgement("LOOP-CONTINUED-CLEAN", "PL-8", "Cycle %d goes on though it found nothing.", d.Cycle))
	case len(open) == 0 && d.Decision == "stop" && len(said(d.Checked)) == 0:
		c.warning(c.judgement("CLEAN-STOP-UNEXPLAINED", "PL-8", "Cycle %d stops clean and does not say what was checked.", d.Cycle))
	}
})}

// openFindings names the findings that are neither fixed nor deferred.
func openFindings(findings []runevents.Finding) []string {
	var out []string
	for i, f := range findings {
		if f.State == "fixed" || f.State == "deferred" {
			continue
		}
		name := f.ID
		if name == "" {
			name = f.Text
		}
		if strings.TrimSpace(name) == "" {
			name = fmt.Sprintf("finding %d", i+1)
		}
		out = append(out, name)
	}
	return out
}

// said returns the texts that are not blank.
func said(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return strings.TrimSpace(text) == "" })
}

func bounded(list []string, most int) []string {
	out := make([]string, 0, min(len(list), most))
	for _, text := range list[:min(len(list), most)] {
		out = append(out, short(text))
	}
	return out
}
