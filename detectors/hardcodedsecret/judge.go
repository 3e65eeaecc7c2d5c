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
	lines := detect.Lines{
		Path: s.Evidence[0].Path, Removed: "the line was removed", Rewritten: "the file was rewritten without it",
		In: func(list []sessionevents.Line) bool { return len(held(list, wanted)) > 0 },
	}
	lines.Left = func(removed []sessionevents.Line) bool {
		return keeps(p.State, lines.Path, wanted, held(removed, wanted))
	}
	return lines.Outcome(p)
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
	known := byMarker(p.Turn.Secrets)
	return detect.AfterPlan(p, detect.Written, func(s *sessionevents.Segment) bool { return len(addedTo(s, known)) > 0 },
		"the credential was written", "the code that followed holds no credential")
}
