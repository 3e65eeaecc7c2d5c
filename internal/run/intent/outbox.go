package intent

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// outbox escalates a question that nobody in the run can answer, with all known facts, so
// that its reader needs no other source (PL-33).
func (c *Context) outbox(o *Outcome) {
	c.Escalate(runevents.EscalationRaised{Layer: sessionevents.LayerPipeline, Issue: "intent/unanswerable", To: runevents.RecipientOperator, Text: c.state.packet(o)})
}

func (s *State) packet(o *Outcome) string {
	var b strings.Builder
	b.WriteString("Nobody in the run can say what is meant.")
	if t := s.Ticket; t != nil {
		fmt.Fprintf(&b, "\nTicket (%s): %s", t.Event, quote.Passage(t.Title))
		line(&b, "Ambiguous words", t.Words)
		line(&b, "Failed checks", strings.Join(t.Failed, ", "))
	}
	if checkpoint := s.Checkpoint; checkpoint != nil {
		line(&b, "Task type", checkpoint.TaskType)
		line(&b, "Agent's reading", passages(checkpoint.Interpretation))
		line(&b, "Rival readings", passages(checkpoint.Rivals...))
		line(&b, "Unresolved", passages(checkpoint.Assumptions...))
		line(&b, "Level before the council", string(checkpoint.Effective))
	}
	line(&b, "Failed sources", strings.Join(s.Sources.Failed, ", "))
	line(&b, "Level after the council", string(o.Level))
	line(&b, "Council's choice", passages(o.Winner))
	line(&b, "Basis", passages(o.Basis))
	line(&b, "Dissents", passages(o.Dissents...))
	return b.String()
}

func line(b *strings.Builder, name, text string) {
	if text != "" {
		fmt.Fprintf(b, "\n%s: %s", name, text)
	}
}

// passages quotes what agents wrote, for the person who decides.
func passages(list ...string) string {
	var out []string
	for _, text := range list {
		if text != "" {
			out = append(out, quote.Passage(text))
		}
	}
	return strings.Join(out, " | ")
}
