package refetch

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports a signal as corrected once a turn does not retrieve the thing again, and
// as committed if one does (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	for i := range p.Turn.Segments {
		for _, r := range d.retrievals(p, &p.Turn.Segments[i]) {
			if r.subject() == s.Subject {
				return sessionevents.OutcomeCommitted, "fetched once more"
			}
		}
	}
	return sessionevents.OutcomeCorrected, "not fetched again"
}
