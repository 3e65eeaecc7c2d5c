package pipeline

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// planEdited is PL-42: source edited in a plan phase is reported to the agent at
// once, outside the budget, once per file and phase.
var planEdited = Rule{ID: "PL-42", On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context, d *sessionevents.TurnEvaluated) {
	if d.Observed == nil || len(d.Observed.FilesEdited) == 0 {
		return
	}
	phase := c.planning()
	if phase == nil {
		return
	}
	var fresh []string
	for _, file := range d.Observed.FilesEdited {
		if c.config.PlanPhase.source(file) && !slices.Contains(c.run.PlanEdits, short(file)) && !slices.Contains(fresh, short(file)) {
			fresh = append(fresh, short(file))
		}
	}
	if len(fresh) == 0 {
		return
	}
	for _, file := range fresh {
		c.run.PlanEdits = text.Newest(append(c.run.PlanEdits, file), c.config.Kept.Files)
	}
	evidence := make([]sessionevents.Evidence, 0, min(len(fresh), 8))
	for _, file := range fresh[:min(len(fresh), 8)] {
		evidence = append(evidence, sessionevents.Evidence{Kind: sessionevents.SegmentDiff, Path: file})
	}
	c.Interrupt(sessionevents.InterruptFired{
		Session: d.Session, Turn: d.Turn, Layer: sessionevents.LayerPipeline, Detector: "PL-42", Evidence: evidence,
		Headline: "Source edited in the plan phase",
		Message:  fmt.Sprintf("Phase %s makes a plan, yet you edited %s. Take the edit back and finish the plan; building begins in its own phase.", short(phase.Name), several(fresh[:min(len(fresh), 3)])),
		Reason:   fmt.Sprintf("Turn %d edits %s while phase %s is at work, which writes documents only.", d.Turn, text.Count(len(fresh), "source file"), short(phase.Name)),
	})
})}

// planning returns the current phase if all current phases make a plan.
func (c *Context) planning() *Phase {
	var out *Phase
	for i := range c.run.Open {
		phase := &c.run.Open[i]
		if phase.Denied {
			continue
		}
		if !has(phase.Name, c.config.Phases.Plan) {
			return nil
		}
		out = phase
	}
	return out
}

// source reports whether a plan phase must not edit the file.
func (p *PlanPhase) source(file string) bool {
	file = strings.ReplaceAll(file, "\\", "/")
	extension := strings.ToLower(strings.TrimPrefix(path.Ext(file), "."))
	if slices.Contains(p.Extensions, extension) {
		return false
	}
	folders := strings.Split(path.Dir(file), "/")
	if slices.ContainsFunc(folders, func(folder string) bool { return slices.Contains(p.Folders, strings.ToLower(folder)) }) {
		return false
	}
	switch extension {
	case "json", "yaml", "yml":
		return !has(path.Base(file), p.Documents)
	}
	return true
}
