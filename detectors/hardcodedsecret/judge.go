package hardcodedsecret

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports a signal as corrected if its marker is removed from the file or the file
// is deleted, as committed if a later DIFF builds on the file and keeps it, and otherwise
// as open (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 {
		return sessionevents.OutcomeOpen, "nothing to look for"
	}
	if s.Evidence[0].Kind != sessionevents.SegmentDiff {
		return judgePlan(p)
	}
	wanted := map[string]bool{}
	for i := range s.Evidence {
		for _, marker := range redact.Markers(s.Evidence[i].Quote) {
			wanted[marker.Fingerprint] = true
		}
	}
	outcome, why := sessionevents.OutcomeOpen, "the file was not edited"
	for i := range p.Turn.Segments {
		g := &p.Turn.Segments[i]
		if !written(g) || g.Proposed || g.Path != s.Evidence[0].Path && g.Diff.OldPath != s.Evidence[0].Path {
			continue
		}
		added := len(held(g.Diff.Added(), wanted)) > 0
		removed := held(g.Diff.Removed(), wanted)
		switch {
		case g.Diff.Op == sessionevents.DiffDelete:
			outcome, why = sessionevents.OutcomeCorrected, "the file was deleted"
		case !added && len(removed) > 0 && !keeps(p.State, g.Path, wanted, removed):
			outcome, why = sessionevents.OutcomeCorrected, "the line was removed"
		case !added && g.Diff.Op == sessionevents.DiffCreate:
			outcome, why = sessionevents.OutcomeCorrected, "the file was rewritten without it"
		case outcome != sessionevents.OutcomeCorrected || added:
			outcome, why = sessionevents.OutcomeCommitted, "a later edit of the file keeps it"
		}
	}
	return outcome, why
}

// held returns the wanted values that lines contain.
func held(lines []sessionevents.Line, wanted map[string]bool) map[string]bool {
	found := map[string]bool{}
	for _, line := range lines {
		for _, marker := range redact.Markers(line.Text) {
			if wanted[marker.Fingerprint] {
				found[marker.Fingerprint] = true
			}
		}
	}
	return found
}

// keeps reports whether a file still contains a wanted value that was not removed: a
// signal may be about several places.
func keeps(state any, path string, wanted, removed map[string]bool) bool {
	m, ok := state.(*memory)
	for fingerprint := range wanted {
		if ok && !removed[fingerprint] && m.knows(path, fingerprint) {
			return true
		}
	}
	return false
}

// judgePlan checks whether the code that follows an announcement does what was announced.
func judgePlan(p *detect.Pass) (sessionevents.Outcome, string) {
	edited, known := false, byMarker(p.Turn.Secrets)
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if !written(s) {
			continue
		}
		edited = true
		if len(addedTo(s, known)) > 0 {
			return sessionevents.OutcomeCommitted, "the credential was written"
		}
	}
	if edited {
		return sessionevents.OutcomeCorrected, "the code that followed holds no credential"
	}
	return sessionevents.OutcomeOpen, "no code was written yet"
}
