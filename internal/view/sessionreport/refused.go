package sessionreport

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RefusedEvent is an event of the session that ingest refused (DP-33).
type RefusedEvent struct {
	Event string `json:"event,omitempty"` // its id; empty: it has none
	Type  string `json:"type"`
	Code  string `json:"code"`
	Why   string `json:"why"`
}

// maxRefused is how many refused events a report names; all are counted.
const maxRefused = 20

// refused counts and names an event that was not watched. The same event sent again counts once.
func (f notes) refused(d *sessionevents.InputRefused) {
	c := &f.coverage
	one := RefusedEvent{Event: d.Event, Type: d.EventType, Code: d.Code, Why: d.Reason}
	if d.Event != "" && slices.Contains(c.Refused, one) {
		return
	}
	c.RefusedEvents++
	if d.Turn() {
		c.RefusedTurns++
	}
	if len(c.Refused) < maxRefused {
		c.Refused = append(c.Refused, one)
	}
	f.moment(c.lastTurn, "refused: "+mentioned(d.EventType, d.Event), quote.Line(d.Reason))
}

// whole reports whether everything that was sent was watched.
func (c Coverage) whole() bool { return c.Received > 0 && c.NotWatched == 0 && c.RefusedEvents == 0 }

// refusedText names what was refused, one per line.
func refusedText(c Coverage) (lines []string) {
	for _, r := range c.Refused {
		lines = append(lines, fmt.Sprintf("Refused: %s: %s", mentioned(r.Type, r.Event), quote.Line(r.Why)))
	}
	if more := c.RefusedEvents - len(c.Refused); more > 0 {
		lines = append(lines, fmt.Sprintf("Refused: %s.", page.Plural(more, "more event")))
	}
	return lines
}

// mentioned names an event as its publisher does: as it is, or quoted.
func mentioned(typ, id string) string {
	if id == "" {
		return quote.Name(typ)
	}
	return quote.Name(typ) + " " + quote.Name(id)
}
