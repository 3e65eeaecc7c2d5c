package patterncontradiction

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// judgeCommands judges what commands and calls answer rather than edits: a demanded
// check that runs, and a named file or call that is there after all (SW-44).
func (t *turn) judgeCommands(s *sessionevents.Signal) (outcome sessionevents.Outcome, why string, settled bool) {
	switch s.Subclass {
	case "unchecked":
		checks := strings.Split(s.Subject, ", ")
		for i := range t.Pass.Turn.Segments {
			command := spaced(commandText(&t.Pass.Turn.Segments[i]))
			checks = slices.DeleteFunc(checks, func(c string) bool { return strings.Contains(command, c) })
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
			if applied(segment) && (samePath(wanted, t.Before.Path(segment.Path)) || s.Subclass == "dropped" && containsName(addedText(segment), lastName(wanted))) {
				return sessionevents.OutcomeCorrected, wanted + " is there now", true
			}
		}
		return sessionevents.OutcomeOpen, "", true
	}
	return sessionevents.OutcomeOpen, "", false
}

// addedText is the text that an edit adds.
func addedText(s *sessionevents.Segment) string {
	var b strings.Builder
	for _, line := range s.Diff.Added() {
		b.WriteString(line.Text + "\n")
	}
	return b.String()
}
