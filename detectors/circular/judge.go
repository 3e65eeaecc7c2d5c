package circular

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports a signal as corrected once a turn settles its question or does not raise
// it again, and as committed if a turn raises it again (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	m := p.State.(*memory)
	switch s.Subclass {
	case contradictedCause:
		return d.judgeCause(m, p, s)
	case undoneWork:
		if d.ran(p) {
			return sessionevents.OutcomeCorrected, "run"
		}
		return sessionevents.OutcomeOpen, "not run yet"
	}
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

// judgeCause reports a contradicted cause as corrected once it is tested or withdrawn,
// and as committed if an edit builds on it.
func (d *instance) judgeCause(m *memory, p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	at := slices.IndexFunc(m.Findings, func(f cause) bool { return f.Text == s.Subject })
	switch {
	case at < 0 || m.Findings[at].Dropped > 0:
		return sessionevents.OutcomeCorrected, "taken back"
	case d.ran(p):
		return sessionevents.OutcomeCorrected, "tested"
	case len(p.Additions.Diffs) > 0:
		return sessionevents.OutcomeCommitted, "an edit builds on it"
	}
	return sessionevents.OutcomeOpen, "not tested yet"
}

// ran reports whether the turn tests, builds or runs something.
func (d *instance) ran(p *detect.Pass) bool {
	return slices.ContainsFunc(p.Turn.Segments, func(s sessionevents.Segment) bool {
		return s.Tool != nil && slices.ContainsFunc(s.Tool.Effects, d.tests)
	})
}
