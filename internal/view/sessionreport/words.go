package sessionreport

import (
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

func number(n int) string { return strconv.Itoa(n) }

// notWatched says what silence does not cover (DP-33).
func notWatched(c Coverage) string {
	if c.Received == 0 {
		return "not watched: no turn was received"
	}
	return "not watched: " + page.Plural(c.NotWatched, "turn", "turns")
}

// foundNothing says that nothing was found, "" if something was: a gap replaces it
// (DP-33).
func foundNothing(m Model) string {
	switch {
	case len(m.Interrupts)+len(m.NotSent)+len(m.Observations) > 0:
		return ""
	case m.Coverage.Received == 0 || m.Coverage.NotWatched > 0:
		return notWatched(m.Coverage)
	}
	return "No findings."
}

// Moments returns the entries of the timeline in words, one per line.
func (m Model) Moments() []string {
	lines := make([]string, 0, len(m.Timeline))
	for _, t := range m.Timeline {
		lines = append(lines, page.Plain(momentText(t)))
	}
	return lines
}
