package weakcrypto

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports a signal as corrected if the weak line is removed from its file, or the
// file is deleted or rewritten without it; as committed if a later edit of the file keeps
// it; and otherwise as open (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 {
		return sessionevents.OutcomeOpen, "nothing to look for"
	}
	first, _, _ := strings.Cut(s.Evidence[0].Quote, "\n")
	weak := squeezed(strings.TrimSuffix(first, "…"))
	if weak == "" {
		return sessionevents.OutcomeOpen, "nothing to look for"
	}
	outcome, why := sessionevents.OutcomeOpen, "the file was not edited"
	for i := range p.Turn.Segments {
		g := &p.Turn.Segments[i]
		if !applied(g) || !samePath(g.Path, s.Evidence[0].Path) && !samePath(g.Diff.OldPath, s.Evidence[0].Path) {
			continue
		}
		kept := holds(g.Diff.Added(), weak)
		switch {
		case g.Diff.Op == sessionevents.DiffDelete:
			outcome, why = sessionevents.OutcomeCorrected, "the file was deleted"
		case !kept && holds(g.Diff.Removed(), weak):
			outcome, why = sessionevents.OutcomeCorrected, "the weak line was removed"
		case !kept && g.Diff.Op == sessionevents.DiffCreate:
			outcome, why = sessionevents.OutcomeCorrected, "the file was rewritten without it"
		case kept || outcome != sessionevents.OutcomeCorrected:
			outcome, why = sessionevents.OutcomeCommitted, "a later edit of the file keeps it"
		}
	}
	return outcome, why
}

// applied reports whether a segment is an edit that was applied.
func applied(s *sessionevents.Segment) bool {
	return s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Diff.Failed && !s.Rejected && !s.Proposed
}

func holds(lines []sessionevents.Line, weak string) bool {
	return slices.ContainsFunc(lines, func(l sessionevents.Line) bool { return strings.Contains(squeezed(l.Text), weak) })
}

// samePath compares paths, either of which may be relative to the workspace.
func samePath(a, b string) bool {
	return a == b && a != "" || a != "" && b != "" && (strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a))
}
