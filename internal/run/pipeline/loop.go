package pipeline

import (
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// loopControl is PL-8: whether a loop goes on has to follow from what it found.
func (w *watch) loopControl(d *runevents.CycleCompleted) {
	for i := range w.run.Open { // the next iteration begins (PL-42)
		w.run.Open[i].Slices, w.run.Open[i].Warned = nil, false
	}
	if d.Decision == "" || !w.run.On && w.run.Kind != "" {
		return
	}
	open := openFindings(d.Findings)
	switch {
	case len(open) > 0 && d.Decision == "stop" && d.LimitReached:
		w.run.Leftovers = keep(w.run.Leftovers, Leftover{
			Cycle: d.Cycle, Event: w.in.Event.ID, Findings: bounded(open, w.Kept.Items), Residual: bounded(said(d.Residual), w.Kept.Items),
		}, w.Kept.Phases)
	case len(open) > 0 && d.Decision == "stop":
		w.warning(w.judgement("LOOP-STOPPED-WITH-FINDINGS", "PL-8", "Cycle %d stops with %s open, below the limit of its loop: %s.", d.Cycle, plural(len(open), "finding", "findings"), several(open)))
	case len(open) == 0 && d.Decision == "continue":
		w.warning(w.judgement("LOOP-CONTINUED-CLEAN", "PL-8", "Cycle %d goes on though it found nothing.", d.Cycle))
	case len(open) == 0 && d.Decision == "stop" && len(said(d.Checked)) == 0:
		w.warning(w.judgement("CLEAN-STOP-UNEXPLAINED", "PL-8", "Cycle %d stops clean and does not say what was checked.", d.Cycle))
	}
}

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

// said are the texts that are not blank.
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
