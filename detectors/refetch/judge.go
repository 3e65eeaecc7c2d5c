package refetch

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Judge calls a signal corrected once a turn does not retrieve the thing again,
// committed when it does (SW-44).
func (d *instance) Judge(p *detect.Pass, s *events.Signal) (events.Outcome, string) {
	for i := range p.Turn.Segments {
		for _, r := range d.retrievals(p, &p.Turn.Segments[i]) {
			if r.subject() == s.Subject {
				return events.OutcomeCommitted, "fetched once more"
			}
		}
	}
	return events.OutcomeCorrected, "not fetched again"
}
