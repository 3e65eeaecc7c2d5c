package sessionreport

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxPrevented is how many prevented calls a report lists.
const maxPrevented = 50

// guarded keeps what the guard answered before a tool ran (GD-21).
func (f notes) guarded(ev events.Event, d *sessionevents.GuardDecided) {
	if f.session.Workspace == "" {
		f.session.Workspace = d.Workspace
	}
	c := prevented.Of(ev, d)
	f.prevented.Add(c)
	turn := d.Turn
	if turn == 0 {
		turn = f.coverage.lastTurn
	}
	f.moment(turn, string(c.Outcome), c.Command)
}

// deniedToo adds to the count of interrupts what was denied before it ran.
func deniedToo(m Model) string {
	if m.Prevented == nil || m.Prevented.Denied == 0 {
		return ""
	}
	return fmt.Sprintf(", and %s denied before it ran", page.Plural(m.Prevented.Denied, "call"))
}

func preventedLines(section *prevented.Section) []string {
	var lines []string
	for i := range section.Calls {
		lines = append(lines, section.Calls[i].Line())
	}
	if rest := section.Rest(); rest != "" {
		lines = append(lines, rest)
	}
	return lines
}
