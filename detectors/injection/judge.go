package injection

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports a signal as corrected if its lines are removed from the file without a
// replacement of the same weakness, as committed if a later edit of the file builds on
// it, and otherwise as open (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 {
		return sessionevents.OutcomeOpen, "nothing to look for"
	}
	if s.Evidence[0].Kind != sessionevents.SegmentDiff {
		return d.judgePlan(p)
	}
	line := firstLine(s.Evidence[0].Quote)
	lines := detect.Lines{
		Path:    s.Evidence[0].Path,
		Removed: "the lines were removed or rewritten", Rewritten: "the lines were removed or rewritten",
		In: func(list []sessionevents.Line) bool {
			return line != "" && slices.ContainsFunc(list, func(l sessionevents.Line) bool { return strings.Contains(l.Text, line) })
		},
		Again: func(g *sessionevents.Segment) string {
			if d.weak(p, g, s.CWE) {
				return "the lines were rewritten and are still open to it"
			}
			return ""
		},
	}
	return lines.Outcome(p)
}

// weak reports whether the additions of an edit have the same weakness.
func (d *instance) weak(p *detect.Pass, s *sessionevents.Segment, cwe int) bool {
	found, _ := d.engine.Read(p.Reader, s, nil)
	for _, m := range found {
		if m.Rule.CWE == cwe {
			return true
		}
	}
	return false
}

// judgePlan checks whether the code that follows an announcement does what was announced.
func (d *instance) judgePlan(p *detect.Pass) (sessionevents.Outcome, string) {
	return detect.AfterPlan(p, detect.Applied, func(s *sessionevents.Segment) bool {
		found, _ := d.engine.Read(p.Reader, s, nil)
		return len(found) > 0
	}, "the code does so", "the code that followed does not")
}
