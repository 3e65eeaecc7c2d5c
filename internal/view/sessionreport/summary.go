package sessionreport

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// Summary returns one line for lists; untrusted parts are cleaned.
func Summary(m Model) string {
	text := naming.Brief(m.Session.ID)
	if text != m.Session.ID {
		text = strings.TrimSpace(text + " " + naming.Title(m.Session.Workspace, m.Session.Task)) // CO-5
	}
	text += ": " + figures(m)
	if n := len(m.Health.Open); n > 0 {
		text += ", " + page.Plural(n, "thing") + " left open"
	}
	if !m.Coverage.whole() {
		text += ", " + notWatched(m.Coverage)
	}
	return page.Plain(text)
}

// figures says in one line how long a session was and what happened in it.
func figures(m Model) string {
	list := []string{page.Plural(m.Turns, "turn")}
	if m.Prevented != nil {
		list = append(list, m.Prevented.Text())
	}
	if text := m.told(); text != "" {
		list = append(list, strings.TrimPrefix(text, "It "))
	}
	if n := len(m.NotSent) + len(m.Logged); n > 0 {
		list = append(list, page.Plural(n, "smaller finding"))
	}
	if len(list) == 1 && m.Coverage.whole() {
		list = append(list, "nothing to say")
	}
	return strings.Join(list, ", ")
}

// firedOf says how much of the budget was used; deliveries from the queue are counted separately, since they
// are not charged (DP-31).
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

// numbers returns the template's four figures in one line.
func numbers(m Model) string {
	list := []string{page.Plural(m.Turns, "turn")}
	if m.Prevented != nil {
		list = append(list, m.Prevented.Text())
	}
	if len(m.Interrupts) > 0 || m.Prevented == nil {
		list = append(
			list,
			firedOf(m)+" interrupts",
		) // GD-21: where a call was denied, "0 interrupts" says too little
	}
	return strings.Join(
		append(list, fmt.Sprintf("%d queued", len(m.NotSent)), fmt.Sprintf("%d logged", len(m.Logged))),
		", ",
	)
}
