package readmodel

import (
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// maxEntries bounds each list of what is kept of one run's breaks and corrections.
const maxEntries = 100

// after is the outcome of a run's breaks and corrective actions.
type after struct {
	Breaks []broke `json:"breaks,omitempty"`
	runreport.Remedies
}

// broke is a break, and whether it was warranted (RW-32).
type broke struct {
	ID      string                   `json:"id"`
	Time    time.Time                `json:"time"`
	Kind    runevents.BreakKind      `json:"kind"`
	Trigger runevents.BreakTrigger   `json:"trigger"`
	Resumed bool                     `json:"resumed,omitempty"`
	Verdict runevents.WarrantVerdict `json:"verdict"`
}

// apply folds one event that is about the run.
func (a *after) apply(ev events.Event) {
	a.Remedies.Apply(maxEntries, ev)
	switch d := ev.Data.(type) {
	case *runevents.WiggumBreak:
		if len(a.Breaks) < maxEntries {
			a.Breaks = append(a.Breaks, broke{ID: ev.ID, Time: ev.Time.UTC(), Kind: d.Kind, Trigger: d.Trigger, Verdict: runevents.Unclear})
		}
	case *runevents.RunJudged:
		for i := range d.Breaks {
			a.judged(&d.Breaks[i])
		}
	}
}

func (a *after) judged(d *runevents.BreakJudged) {
	i := slices.IndexFunc(a.Breaks, func(b broke) bool { return b.ID == d.Break })
	if i >= 0 {
		a.Breaks[i].Resumed, a.Breaks[i].Verdict = d.Resumed != nil, d.Warrant.Verdict
	}
}
