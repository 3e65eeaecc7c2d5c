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
	lines := detect.Lines{
		Path: s.Evidence[0].Path, Removed: "the weak line was removed", Rewritten: "the file was rewritten without it",
		In: func(list []sessionevents.Line) bool {
			return slices.ContainsFunc(list, func(l sessionevents.Line) bool { return strings.Contains(squeezed(l.Text), weak) })
		},
	}
	return lines.Outcome(p)
}
