package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/ambiguity"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// ticket is pre-flight (PL-30): a ticket that fails two checks is Subtype A, and
// the operator, who alone can say what is missing, is asked at once.
func (d *decision) ticket(data *runevents.TicketReceived) {
	r := d.config.analyzer.Analyze(ambiguity.Ticket{Title: data.Title, Text: data.Text, Criteria: data.AcceptanceCriteria})
	t := &Ticket{Event: d.event, Title: d.text(data.Title), WordSignals: r.WordSignals(), Words: d.text(words(r)), NoCriteria: !r.HasCriteria}
	var why []string
	for _, check := range r.Failed() {
		t.Failed = append(t.Failed, check.Name)
		why = append(why, fmt.Sprintf("%s: %s", strings.ReplaceAll(check.Name, "_", " "), d.text(check.Why)))
	}
	t.SubtypeA = len(t.Failed) >= d.config.SubtypeAFailures
	before := d.state.Ticket
	d.state.Ticket = t
	if before != nil {
		if before.same(t) {
			return
		}
		d.state.Confirmed = false // a ticket that was written anew
		d.withdraw()
	}
	if !t.SubtypeA || d.state.Skip {
		return
	}
	d.state.Log.Tally.TicketsA++
	d.warn("PL-30", CodeSubtypeA, fmt.Sprintf("The ticket leaves open what is meant (Subtype A); it fails %d of 5 pre-flight checks: %s.", len(t.Failed), strings.Join(why, "; ")))
	if d.state.Confirmation != confirmNever {
		d.ask(d.structural(nil).level, d.ticketReadings(t))
	}
}

// same says that a ticket came twice.
func (t *Ticket) same(other *Ticket) bool {
	return t.Title == other.Title && t.Words == other.Words && t.NoCriteria == other.NoCriteria && slices.Equal(t.Failed, other.Failed)
}

// words are the ticket's ambiguous words, for people.
func words(r *ambiguity.Report) string {
	var out []string
	for i := range r.Sentences {
		for _, s := range r.Sentences[i].Signals {
			out = append(out, fmt.Sprintf("%s %q", strings.ReplaceAll(string(s.Kind), "_", " "), s.Word))
		}
	}
	return strings.Join(out, ", ")
}

// vague says that the ticket lacks something that only the operator knows: it
// failed pre-flight, nobody has answered, and no rival reading is known that a
// council could weigh (PL-34).
func (s *State) vague() bool {
	if s.Ticket == nil || !s.Ticket.SubtypeA || s.Confirmed {
		return false
	}
	return s.Checkpoint == nil || !s.Checkpoint.rivals()
}

// rivals says that more than one reading of the ticket is known.
func (c *Checkpoint) rivals() bool { return len(c.Rivals) > 0 || c.Diverging }
