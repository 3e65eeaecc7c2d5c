package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// judgeCommands judges what commands and calls answer rather than edits: a demanded
// check that runs, and a named file or call that is there after all (SW-44).
func (t *turn) judgeCommands(s *sessionevents.Signal) (outcome sessionevents.Outcome, why string, settled bool) {
	switch s.Subclass {
	case "unchecked":
		checks := strings.Split(s.Subject, ", ")
		for i := range t.Pass.Turn.Segments {
			for _, line := range t.commandLines(&t.Pass.Turn.Segments[i]) {
				checks = slices.DeleteFunc(checks, func(c string) bool { return runs(line, c) })
			}
		}
		if len(checks) == 0 {
			return sessionevents.OutcomeCorrected, "the demanded checks run", true
		}
		return sessionevents.OutcomeOpen, "", true
	case "denied", "instruction":
		return sessionevents.OutcomeOpen, "", true
	case "named-file", "dropped":
		wanted := s.Subject
		if s.Subclass == "named-file" && len(s.Evidence) > 0 && s.Evidence[0].ConflictsWith != nil {
			wanted = s.Evidence[0].ConflictsWith.Path
		}
		for i := range t.Pass.Turn.Segments {
			segment := &t.Pass.Turn.Segments[i]
			if applied(segment) && (samePath(wanted, t.Before.Path(segment.Path)) || s.Subclass == "dropped" && containsName(detect.Text(segment), lastName(wanted))) {
				return sessionevents.OutcomeCorrected, wanted + " is there now", true
			}
		}
		return sessionevents.OutcomeOpen, "", true
	}
	return sessionevents.OutcomeOpen, "", false
}
