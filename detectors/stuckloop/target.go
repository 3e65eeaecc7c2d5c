package stuckloop

import (
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxQuoted bounds the pieces of code of one segment that are looked at.
const maxQuoted = 8

// called is what a malformed call was to do: what follows its null command, else what the turn
// announces last.
func (w *watch) called(a *act) string {
	if a.segment.Tool != nil && a.segment.Tool.Command != "" {
		_, rest, _ := strings.Cut(strings.TrimSpace(a.segment.Tool.Command), " ")
		if first, _, _ := strings.Cut(strings.TrimSpace(rest), " "); w.knownPrograms[first] {
			return brief(rest)
		}
	}
	for i := len(w.pass.Turn.Segments) - 1; i >= 0; i-- {
		s := &w.pass.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentPlan {
			continue
		}
		for _, code := range w.quotedCommand.FindAllStringSubmatch(s.Text, maxQuoted) {
			if first, _, _ := strings.Cut(code[1], " "); w.knownPrograms[first] && first != code[1] {
				return brief(code[1])
			}
		}
	}
	return ""
}
