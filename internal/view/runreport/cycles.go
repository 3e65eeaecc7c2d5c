package runreport

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/policy"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// cycle adds a cycle as the run's fold compares it with the one before: by the
// findings it lists, or that its reviews found (RW-31).
func (f *Fold) cycle(ev events.Event, d *runevents.CycleCompleted) {
	last := f.replay.run.Cycles.Last
	if len(last) == 0 || !f.room(len(f.cycles)) {
		return
	}
	now := last[len(last)-1]
	c := Cycle{
		Event: ev.ID, Cycle: d.Cycle, Open: len(now.Findings), Critical: critical(now.Findings),
		Given: d.ConvergenceScore, Decision: d.Decision, Limit: d.LimitReached,
	}
	if len(last) > 1 {
		before := last[len(last)-2]
		compared := f.settings.run.Convergence.Compare(before.Findings, now.Findings, f.replay.resolved)
		c.Compared, c.Score = true, compared.Score
		c.Resolved, c.New, c.Persistent, c.Regressed = len(compared.Resolved), len(compared.New), len(compared.Persistent), len(compared.Regressed)
	}
	f.cycles = append(f.cycles, c)
	f.moment(ev, "cycle completed", cycleText(c))
}

func critical(list []runevents.Finding) int {
	n := 0
	for _, one := range list {
		if one.Severity == runevents.SeverityCritical {
			n++
		}
	}
	return n
}

// rounds are the run's own fold, which knows the findings of cycles.
type rounds struct {
	run      policy.State
	resolved []runevents.Finding // before the event at hand
}
