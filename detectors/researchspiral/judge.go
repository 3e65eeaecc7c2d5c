package researchspiral

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge calls a signal corrected once an edit was made (SW-44); a test or another
// act leaves it open, for the change may still be missing.
func (d *instance) Judge(p *detect.Pass, _ *sessionevents.Signal) (sessionevents.Outcome, string) {
	at := slices.IndexFunc(p.Turn.Segments, func(s sessionevents.Segment) bool {
		return s.Kind == sessionevents.SegmentDiff && !s.Proposed && !s.Rejected && s.Diff != nil && !s.Diff.Failed
	})
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
