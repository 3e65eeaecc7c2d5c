package policy

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/convergence"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// judgeCycle adds the comparison of a cycle with the previous one (RW-31).
func judgeCycle(d *runevents.CycleJudged, compared convergence.Comparison) {
	d.Compared, d.Score = true, compared.Score
	d.Resolved, d.New, d.Persistent, d.Regressed = len(compared.Resolved), len(compared.New), len(compared.Persistent), len(compared.Regressed)
}

// Since adds the cycle that the event completed.
func (s *State) Since(out *runevents.RunJudged) {
	out.Cycle, s.judged = s.judged, nil
}
