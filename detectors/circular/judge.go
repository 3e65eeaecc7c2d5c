package circular

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge calls a signal corrected once a turn settles its question or does not
// raise it again, committed when it does (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	m := p.State.(*memory)
	at := slices.IndexFunc(m.Questions, func(q question) bool { return q.Text == s.Subject })
	if at < 0 {
		return sessionevents.OutcomeCorrected, "not raised again"
	}
	q := &m.Questions[at]
	for _, x := range d.deliberations(p, d.read(p)) {
		switch {
		case x.kind == decided && d.decides(q, d.choice(x.decision)):
			if chosen := d.choice(x.decision).chosen; len(q.Choices) == 0 || slices.Equal(q.Choices[len(q.Choices)-1], chosen) {
				return sessionevents.OutcomeCorrected, "settled"
			}
			return sessionevents.OutcomeCommitted, "decided otherwise once more"
		case x.kind == closed && jaccard(q.Terms, x.terms) >= d.Similar:
			return sessionevents.OutcomeCorrected, "declared closed"
		case x.kind != decided && x.kind != closed && d.about(q, &x):
			return sessionevents.OutcomeCommitted, "raised once more"
		}
	}
	return sessionevents.OutcomeCorrected, "not raised again"
}
