package researchspiral

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports a signal as corrected once an edit was made (SW-44); a test or another
// act leaves it open, since the change may still be missing.
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if m, ok := p.State.(*memory); ok && ended(m, s) {
		return sessionevents.OutcomeCorrected, "the reading is over"
	}
	at := slices.IndexFunc(p.Turn.Segments, func(s sessionevents.Segment) bool { return detect.Applied(&s) })
	switch {
	case at >= 0 && len(p.Before.Reads(p.Turn.Segments[at].Path)) > 0:
		return sessionevents.OutcomeCorrected, "an edit of what was read"
	case at >= 0:
		return sessionevents.OutcomeCorrected, "an edit"
	case p.Additions.Effect:
		return sessionevents.OutcomeOpen, "an act, no edit yet"
	case p.Additions.Research:
		return sessionevents.OutcomeOpen, "still reading"
	}
	return sessionevents.OutcomeOpen, ""
}

// ended reports whether the run of a signal was over before this turn, through a test, a
// command with an effect or another request.
func ended(m *memory, s *sessionevents.Signal) bool {
	return m.Run.From == 0 || s.Subject != subjectOf(&m.Run, false) && s.Subject != subjectOf(&m.Run, true)
}
