package sessionreport

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

func number(n int) string { return strconv.Itoa(n) }

// notWatched says what "no findings" does not cover (DP-33).
func notWatched(c Coverage) string {
	others := c.RefusedEvents - c.RefusedTurns
	switch {
	case c.Received == 0:
		return "not watched: no turn was received"
	case others > 0 && c.NotWatched == 0:
		return "not watched: " + page.Plural(others, "refused event")
	case others > 0:
		return "not watched: " + page.Plural(c.NotWatched, "turn") + " and " + page.Plural(others, "refused event")
	}
	return "not watched: " + page.Plural(c.NotWatched, "turn")
}

// gapSentence is [notWatched] as a sentence.
func gapSentence(c Coverage) string {
	text := notWatched(c)
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// foundNothing says that nothing was found, "" if something was: a gap replaces it
// (DP-33).
func foundNothing(m Model) string {
	switch {
	case len(m.Interrupts)+len(m.NotSent)+len(m.Observations) > 0, m.Prevented != nil:
		return ""
	case !m.Coverage.whole():
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
