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

// nothing is the text for an empty list: a gap replaces "none" (DP-33).
func nothing(m Model, none string) string {
	if m.Coverage.Received == 0 || m.Coverage.NotWatched > 0 {
		return notWatched(m.Coverage)
	}
	return none
}

// Moments returns the entries of the timeline in words, one per line.
func (m Model) Moments() []string {
	lines := make([]string, 0, len(m.Timeline))
	for _, t := range m.Timeline {
		lines = append(lines, page.Plain(momentText(t)))
	}
	return lines
}
