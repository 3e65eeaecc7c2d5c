package intent

import (
	"fmt"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// outbox escalates what nobody in the run can answer, with all that is known
// (PL-33): whoever opens it needs no other place to look.
func (d *decision) outbox(o *Outcome) {
	d.verdict.Escalate(runevents.EscalationRaised{Layer: sessionevents.LayerPipeline, Issue: "intent/unanswerable", To: "operator", Text: d.packet(o)})
}

func (d *decision) packet(o *Outcome) string {
	var b strings.Builder
	b.WriteString("Nobody in the run can say what is meant.")
	if t := d.state.Ticket; t != nil {
		fmt.Fprintf(&b, "\nTicket (%s): %s", t.Event, t.Title)
		line(&b, "Ambiguous words", t.Words)
		line(&b, "Failed checks", strings.Join(t.Failed, ", "))
	}
	if c := d.state.Checkpoint; c != nil {
		line(&b, "Task type", c.TaskType)
		line(&b, "Agent's reading", c.Interpretation)
		line(&b, "Rival readings", strings.Join(c.Rivals, " | "))
		line(&b, "Unresolved", strings.Join(c.Assumptions, " | "))
		line(&b, "Level before the council", string(c.Effective))
	}
	line(&b, "Failed sources", strings.Join(d.state.Context.Failed, ", "))
	line(&b, "Level after the council", string(o.Level))
	line(&b, "Council's choice", o.Winner)
	line(&b, "Basis", o.Basis)
	line(&b, "Dissents", strings.Join(o.Dissents, " | "))
	return b.String()
}

func line(b *strings.Builder, name, text string) {
	if text != "" {
		fmt.Fprintf(b, "\n%s: %s", name, text)
	}
}
