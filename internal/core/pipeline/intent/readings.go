package intent

import (
	"fmt"
	"strings"
)

// reading is one side of a question: what may be meant and what speaks for it.
type reading struct{ text, evidence string }

// readings are the two sides, and whether A is what the agent understood.
type readings struct {
	question string
	a, b     reading
	own      bool
}

const elsewhere = "Something else: your answer says what is meant"

// ticketReadings are for a ticket that nobody has read yet.
func (d *decision) ticketReadings(t *Ticket) readings {
	missing := strings.ReplaceAll(strings.Join(t.Failed, ", "), "_", " ")
	return readings{
		question: fmt.Sprintf("What is meant by %q? The ticket is not: %s.", t.Title, missing),
		a:        reading{fmt.Sprintf("The ticket as it is written, in its narrowest reading: %s", t.Title), "the ticket's title"},
		b:        reading{elsewhere, "pre-flight: " + d.missing(t)},
		own:      true,
	}
}

func (d *decision) missing(t *Ticket) string {
	if t.Words != "" {
		return t.Words
	}
	return "not " + strings.ReplaceAll(strings.Join(t.Failed, ", "), "_", " ")
}

// checkpointReadings are the agent's own reading and its first rival.
func (d *decision) checkpointReadings() readings {
	c := d.state.Checkpoint
	out := readings{question: d.question(), a: reading{c.Interpretation, "the agent's checkpoint" + atTurn(c.Turn)}, own: true}
	out.b = rivalOf(c, nil)
	return out
}

// councilReadings are the council's winner, and the agent's own reading or the
// first that lost.
func (d *decision) councilReadings(o *Outcome) readings {
	c := d.state.Checkpoint
	out := readings{question: d.question(), a: reading{o.reading(c), "the council's choice"}, own: o.Survived}
	if o.Basis != "" {
		out.a.evidence += ": " + o.Basis
	}
	if !o.Survived && c != nil && c.Interpretation != "" && c.Interpretation != out.a.text {
		out.b = reading{c.Interpretation, "the agent's own reading" + atTurn(c.Turn) + ", which the council did not keep"}
		return out
	}
	out.b = rivalOf(c, o)
	return out
}

func rivalOf(c *Checkpoint, o *Outcome) reading {
	switch {
	case o != nil && len(o.Dissents) > 0:
		return reading{o.Dissents[0], "a dissent in the council"}
	case c != nil && len(c.Rivals) > 0:
		return reading{c.Rivals[0], "a rival reading that the agent gave" + atTurn(c.Turn)}
	}
	return reading{elsewhere, "no other reading was given"}
}

func (d *decision) question() string {
	s := d.state
	about := "the task"
	if s.Ticket != nil && s.Ticket.Title != "" {
		about = fmt.Sprintf("%q", s.Ticket.Title)
	}
	if s.Checkpoint != nil && len(s.Checkpoint.Assumptions) > 0 {
		return fmt.Sprintf("What is meant by %s? Unresolved: %s", about, strings.Join(s.Checkpoint.Assumptions, "; "))
	}
	return fmt.Sprintf("What is meant by %s?", about)
}

func atTurn(turn int) string {
	if turn <= 0 {
		return ""
	}
	return fmt.Sprintf(" in turn %d", turn)
}
