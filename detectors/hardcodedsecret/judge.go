package hardcodedsecret

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Judge calls a signal corrected when its marker leaves the file or the file is
// deleted, committed when a later DIFF builds on the file and keeps it, else
// open (SW-44).
func (d *instance) Judge(p *detect.Pass, s *events.Signal) (events.Outcome, string) {
	if len(s.Evidence) == 0 {
		return events.OutcomeOpen, "nothing to look for"
	}
	if s.Evidence[0].Kind != events.SegmentDiff {
		return judgePlan(p)
	}
	wanted := map[string]bool{}
	for _, marker := range redact.Markers(s.Evidence[0].Quote) {
		wanted[marker.Fingerprint] = true
	}
	outcome, why := events.OutcomeOpen, "the file was not edited"
	for i := range p.Turn.Segments {
		g := &p.Turn.Segments[i]
		if !written(g) || g.Proposed || g.Path != s.Evidence[0].Path && g.Diff.OldPath != s.Evidence[0].Path {
			continue
		}
		switch added := holds(g.Diff.Added(), wanted); {
		case g.Diff.Op == events.DiffDelete:
			outcome, why = events.OutcomeCorrected, "the file was deleted"
		case !added && holds(g.Diff.Removed(), wanted):
			outcome, why = events.OutcomeCorrected, "the line was removed"
		case !added && g.Diff.Op == events.DiffCreate:
			outcome, why = events.OutcomeCorrected, "the file was written anew without it"
		case outcome != events.OutcomeCorrected || added:
			outcome, why = events.OutcomeCommitted, "a later edit of the file keeps it"
		}
	}
	return outcome, why
}

func holds(lines []events.Line, wanted map[string]bool) bool {
	for _, line := range lines {
		for _, marker := range redact.Markers(line.Text) {
			if wanted[marker.Fingerprint] {
				return true
			}
		}
	}
	return false
}

// judgePlan looks whether the code that follows an announcement does what was
// announced.
func judgePlan(p *detect.Pass) (events.Outcome, string) {
	edited, known := false, byMarker(p.Turn.Secrets)
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if !written(s) {
			continue
		}
		edited = true
		if len(addedTo(s, known)) > 0 {
			return events.OutcomeCommitted, "the credential was written"
		}
	}
	if edited {
		return events.OutcomeCorrected, "the code that followed holds no credential"
	}
	return events.OutcomeOpen, "no code was written yet"
}
