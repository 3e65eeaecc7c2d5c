package sessionreport

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// Summary returns one line for lists, without a line break; untrusted parts are
// made plain.
func Summary(m Model) string {
	text := m.Session.ID + ": " + figures(m) + ", health " + m.Health.Verdict
	if m.Health.Delta != 0 {
		text += fmt.Sprintf(" (%+d)", m.Health.Delta)
	}
	if m.Coverage.Received == 0 || m.Coverage.NotWatched > 0 {
		text += ", " + notWatched(m.Coverage)
	}
	return page.Plain(text)
}

// figures are the template's four numbers in one line.
func figures(m Model) string {
	return strings.Join([]string{
		page.Plural(m.Turns, "turn", "turns"), fmt.Sprintf("%d/%d interrupts", len(m.Interrupts), m.Budget),
		fmt.Sprintf("%d queued", len(m.NotSent)), fmt.Sprintf("%d logged", len(m.Logged)),
	}, ", ")
}
