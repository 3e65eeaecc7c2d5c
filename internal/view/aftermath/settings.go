package aftermath

import (
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Settings are those of the section "runreport" that verdicts depend on.
type Settings struct {
	Success     []string                 // outcomes of run.completed
	Boundaries  []runevents.BreakTrigger // triggers that are limits, not suspicions
	RedoOptions []int                    // recoveries after which work is done again (WP-1)
	Entries     int                      // of each list
	Text        int                      // characters of a text
}

// Succeeded reports whether an outcome of run.completed is a success.
func (s *Settings) Succeeded(outcome string) bool {
	return slices.Contains(s.Success, strings.ToLower(strings.TrimSpace(outcome)))
}

// Short bounds a text by characters.
func (s *Settings) Short(text string) string {
	runes := 0
	for at := range text {
		if runes == s.Text {
			return text[:at] + "…"
		}
		runes++
	}
	return text
}
