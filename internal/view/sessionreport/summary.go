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
	if !m.Coverage.whole() {
		text += ", " + notWatched(m.Coverage)
	}
	return page.Plain(text)
}

// figures are the template's four numbers in one line.
func figures(m Model) string {
	list := []string{page.Plural(m.Turns, "turn", "turns")}
	if m.Prevented != nil {
		list = append(list, m.Prevented.Text())
	}
	if len(m.Interrupts) > 0 || m.Prevented == nil {
		list = append(list, firedOf(m)+" interrupts") // GD-21: where a call was denied, "0 interrupts" says too little
	}
	return strings.Join(append(list, fmt.Sprintf("%d queued", len(m.NotSent)), fmt.Sprintf("%d logged", len(m.Logged))), ", ")
}

// firedOf is how many of the budget were fired, deliveries from the queue counted
// apart, since they are not charged to it (DP-31).
func firedOf(m Model) string {
	queued := 0
	for _, i := range m.Interrupts {
		if i.FromQueue {
			queued++
		}
	}
	text := fmt.Sprintf("%d/%d", len(m.Interrupts)-queued, m.Budget)
	if queued > 0 {
		text += fmt.Sprintf(", and %d from the queue", queued)
	}
	return text
}
