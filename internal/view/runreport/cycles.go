package runreport

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// cycle adds a cycle as its publisher sent it; how it compares with the one before
// it follows as run.judged (RW-31).
func (f decided) cycle(ev events.Event, d *runevents.CycleCompleted) {
	f.moment(ev, "cycle completed", "")
	if f.room(len(f.cycles)) {
		f.cycles = append(f.cycles, Cycle{Event: ev.ID, Cycle: d.Cycle, Given: d.ConvergenceScore, Decision: d.Decision, Limit: d.LimitReached})
	}
}

// compared completes the entry of the cycle that an event ended.
func (f decided) compared(ev events.Event, d *runevents.CycleJudged) {
	at := slices.IndexFunc(f.cycles, func(c Cycle) bool { return c.Event == ev.CausationID })
	if at < 0 {
		return
	}
	c := &f.cycles[at]
	c.Open, c.Critical, c.Compared, c.Score = d.Open, d.Critical, d.Compared, d.Score
	c.Resolved, c.New, c.Persistent, c.Regressed = d.Resolved, d.New, d.Persistent, d.Regressed
	for i := range f.timeline {
		if f.timeline[i].Event == c.Event {
			f.timeline[i].Text = f.settings.short(cycleText(*c))
			return
		}
	}
}
