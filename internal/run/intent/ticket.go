package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/ambiguity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// ticketChecked is pre-flight (PL-30): a ticket that fails two checks is Subtype A, and
// the operator, the only one who knows what is missing, is asked at once.
var ticketChecked = Rule{ID: "PL-30", On: run.Types(runevents.TypeTicketReceived), Run: run.With(func(c *Context, data *runevents.TicketReceived) {
	r := c.config.analyzer.Analyze(ambiguity.Ticket{Title: data.Title, Text: data.Text, Criteria: data.AcceptanceCriteria})
	t := &Ticket{Event: c.Event.ID, Title: c.config.text(data.Title), WordSignals: r.WordSignals(), Words: c.config.text(words(r)), NoCriteria: !r.HasCriteria}
	var why []string
	for _, check := range r.Failed() {
		t.Failed = append(t.Failed, check.Name)
		why = append(why, fmt.Sprintf("%s: %s", strings.ReplaceAll(check.Name, "_", " "), c.config.text(check.Why)))
	}
	t.SubtypeA = len(t.Failed) >= c.config.SubtypeAFailures
	before := c.state.Ticket
	c.state.Ticket = t
	if before != nil {
		if before.same(t) {
			return
		}
		c.state.Confirmed = false // the ticket was rewritten
		c.state.withdraw()
	}
	if !t.SubtypeA || c.state.Skip {
		return
	}
	c.state.Log.Tally.TicketsA++
	c.warn("PL-30", CodeSubtypeA, fmt.Sprintf("The ticket leaves open what is meant (Subtype A); it fails %d of 5 pre-flight checks: %s.", len(t.Failed), strings.Join(why, "; ")))
	if c.state.Confirmation != confirmNever {
		c.ask(c.structural(nil).level, t.readings())
	}
})}

// same reports whether the ticket is a duplicate.
func (t *Ticket) same(other *Ticket) bool {
	return t.Title == other.Title && t.Words == other.Words && t.NoCriteria == other.NoCriteria && slices.Equal(t.Failed, other.Failed)
}

// words lists the ticket's ambiguous words for people.
func words(r *ambiguity.Report) string {
	var out []string
	for i := range r.Sentences {
		for _, s := range r.Sentences[i].Signals {
			out = append(out, strings.ReplaceAll(string(s.Kind), "_", " ")+" "+quote.Text(s.Word))
		}
	}
	return strings.Join(out, ", ")
}

// vague reports whether the ticket lacks something that only the operator knows: it
// failed pre-flight and has no answer yet (PL-34). The rival readings that every agent
// must name (PL-32) do not make it merely ambiguous, since challengers would fill the gap
// in the same way; only diverging samples show readings worth comparing.
func (s *State) vague() bool {
	if s.Ticket == nil || !s.Ticket.SubtypeA || s.Confirmed {
		return false
	}
	return s.Checkpoint == nil || !s.Checkpoint.Diverging
}

// rivals reports whether more than one reading of the ticket is known.
func (c *Checkpoint) rivals() bool { return len(c.Rivals) > 0 || c.Diverging }
