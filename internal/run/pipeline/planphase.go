package pipeline

import (
	"fmt"
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// planEdits is PL-42: source edited while a plan is made is said to the agent at
// once, outside of the budget; once a file and phase.
func (w *watch) planEdits(d *sessionevents.TurnEvaluated) {
	if d.Observed == nil || len(d.Observed.FilesEdited) == 0 {
		return
	}
	phase := w.planning()
	if phase == nil {
		return
	}
	var fresh []string
	for _, file := range d.Observed.FilesEdited {
		if w.source(file) && !slices.Contains(w.run.PlanEdits, short(file)) && !slices.Contains(fresh, short(file)) {
			fresh = append(fresh, short(file))
		}
	}
	if len(fresh) == 0 {
		return
	}
	for _, file := range fresh {
		w.run.PlanEdits = keep(w.run.PlanEdits, file, w.Kept.Files)
	}
	evidence := make([]sessionevents.Evidence, 0, min(len(fresh), 8))
	for _, file := range fresh[:min(len(fresh), 8)] {
		evidence = append(evidence, sessionevents.Evidence{Kind: sessionevents.SegmentDiff, Path: file})
	}
	w.v.Interrupt(sessionevents.InterruptFired{
		Session: d.Session, Turn: d.Turn, Layer: sessionevents.LayerPipeline, Detector: "PL-42", Evidence: evidence,
		Headline: "Source edited in the plan phase",
		Message:  fmt.Sprintf("Phase %s makes a plan, yet you edited %s. Take the edit back and finish the plan; building begins in its own phase.", short(phase.Name), several(fresh[:min(len(fresh), 3)])),
		Reason:   fmt.Sprintf("Turn %d edits %s while phase %s is at work, which writes documents only.", d.Turn, plural(len(fresh), "source file", "source files"), short(phase.Name)),
	})
}

// planning is the phase at work, where all that are make a plan.
func (w *watch) planning() *Phase {
	var out *Phase
	for i := range w.run.Open {
		phase := &w.run.Open[i]
		if phase.Denied {
			continue
		}
		if !has(phase.Name, w.Phases.Plan) {
			return nil
		}
		out = phase
	}
	return out
}

// source reports a file that a plan phase has no business to edit.
func (w *watch) source(file string) bool {
	file = strings.ReplaceAll(file, "\\", "/")
	extension := strings.ToLower(strings.TrimPrefix(path.Ext(file), "."))
	if slices.Contains(w.PlanPhase.Extensions, extension) {
		return false
	}
	folders := strings.Split(path.Dir(file), "/")
	if slices.ContainsFunc(folders, func(folder string) bool { return slices.Contains(w.PlanPhase.Folders, strings.ToLower(folder)) }) {
		return false
	}
	switch extension {
	case "json", "yaml", "yml":
		return !has(path.Base(file), w.PlanPhase.Documents)
	}
	return true
}
