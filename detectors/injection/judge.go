package injection

import (
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
	outcome, why := sessionevents.OutcomeOpen, "the file was not edited"
	line := firstLine(s.Evidence[0].Quote)
	for i := range p.Turn.Segments {
		g := &p.Turn.Segments[i]
		if !written(g) || g.Proposed || g.Path != s.Evidence[0].Path && g.Diff.OldPath != s.Evidence[0].Path {
			continue
		}
		removed, added := holds(g.Diff.Removed(), line), holds(g.Diff.Added(), line)
		switch {
		case g.Diff.Op == sessionevents.DiffDelete:
			outcome, why = sessionevents.OutcomeCorrected, "the file was deleted"
		case !added && (removed || g.Diff.Op == sessionevents.DiffCreate):
			outcome, why = sessionevents.OutcomeCorrected, "the lines were removed or rewritten"
			if d.weak(p, g, s.CWE) {
				outcome, why = sessionevents.OutcomeCommitted, "the lines were rewritten and are still open to it"
			}
		case outcome != sessionevents.OutcomeCorrected || added:
			outcome, why = sessionevents.OutcomeCommitted, "a later edit of the file keeps it"
		}
	}
	return outcome, why
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

func holds(lines []sessionevents.Line, wanted string) bool {
	if wanted == "" {
		return false
	}
	for _, l := range lines {
		if strings.Contains(l.Text, wanted) {
			return true
		}
	}
	return false
}

// judgePlan checks whether the code that follows an announcement does what was announced.
func (d *instance) judgePlan(p *detect.Pass) (sessionevents.Outcome, string) {
	edited := false
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if !written(s) || s.Proposed {
			continue
		}
		edited = true
		if found, _ := d.engine.Read(p.Reader, s, nil); len(found) > 0 {
			return sessionevents.OutcomeCommitted, "the code does so"
		}
	}
	if edited {
		return sessionevents.OutcomeCorrected, "the code that followed does not"
	}
	return sessionevents.OutcomeOpen, "no code was written yet"
}
