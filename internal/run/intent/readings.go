package intent

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/ambiguity"
)

// reading is one side of a question: a possible meaning and the evidence for it. Wording
// of an agent or a council is quoted, since one of the readings is sent to the agent if
// nobody answers in time.
type reading struct{ text, evidence string }

// readings are the two sides of a question, and which of them the agent understood.
type readings struct {
	question string
	a, b     reading
	own      bool
	ownB     bool
}

const elsewhere = "Something else: your answer says what is meant"

// readings returns those of a ticket that no agent has interpreted yet.
func (t *Ticket) readings() readings {
	return readings{
		question: fmt.Sprintf("What is meant by %s? The ticket has %s.", quote.Passage(t.Title), t.lacks()),
		a:        reading{"The ticket as it is written, in its narrowest reading: " + quote.Passage(t.Title), "the ticket's title"},
		b:        reading{elsewhere, t.because()},
		own:      true,
	}
}

// lacks lists the failed checks for people.
func (t *Ticket) lacks() string {
	var out []string
	for _, check := range t.Failed {
		out = append(out, map[string]string{
			ambiguity.Unambiguous: "ambiguous words", ambiguity.Testable: "nothing that a test could decide", ambiguity.NonCompound: "more than one task",
			ambiguity.AcceptanceCriteria: "no acceptance criteria", ambiguity.Scoped: "no bounds",
		}[check])
	}
	return strings.Join(out, ", ")
}

// because returns the evidence for a reading other than the narrowest.
func (t *Ticket) because() string {
	if t.Words != "" {
		return "the ticket's words: " + t.Words
	}
	return "the ticket has " + t.lacks()
}

// checkpointReadings returns the agent's reading and its first rival.
func (s *State) checkpointReadings() readings {
	said := s.Checkpoint
	out := readings{question: s.question(), a: reading{quote.Passage(said.Interpretation), "the agent's checkpoint" + atTurn(said.Turn)}, own: true}
	out.b = rivalOf(said, nil)
	return out
}

// councilReadings returns the council's winner, and the agent's reading or else the first
// one that lost.
func (s *State) councilReadings(o *Outcome) readings {
	checkpoint := s.Checkpoint
	chosen := o.reading(checkpoint)
	out := readings{question: s.question(), a: reading{quote.Passage(chosen), "the council's choice"}, own: o.Survived}
	if o.Basis != "" {
		out.a.evidence += ": " + quote.Passage(o.Basis)
	}
	if !o.Survived && checkpoint != nil && checkpoint.Interpretation != "" && checkpoint.Interpretation != chosen {
		out.ownB = true
		out.b = reading{quote.Passage(checkpoint.Interpretation), "the agent's own reading" + atTurn(checkpoint.Turn) + ", which the council did not keep"}
		return out
	}
	out.b = rivalOf(checkpoint, o)
	return out
}

func rivalOf(c *Checkpoint, o *Outcome) reading {
	switch {
	case o != nil && len(o.Dissents) > 0:
		return reading{quote.Passage(o.Dissents[0]), "a dissent in the council"}
	case c != nil && len(c.Rivals) > 0:
		return reading{quote.Passage(c.Rivals[0]), "a rival reading that the agent gave" + atTurn(c.Turn)}
	}
	return reading{elsewhere, "no other reading was given"}
}

func (s *State) question() string {
	about := "the task"
	if s.Ticket != nil && s.Ticket.Title != "" {
		about = quote.Passage(s.Ticket.Title)
	}
	if s.Checkpoint != nil && len(s.Checkpoint.Assumptions) > 0 {
		unresolved := make([]string, len(s.Checkpoint.Assumptions))
		for i, assumption := range s.Checkpoint.Assumptions {
			unresolved[i] = quote.Passage(assumption)
		}
		return fmt.Sprintf("What is meant by %s? Unresolved: %s", about, strings.Join(unresolved, "; "))
	}
	return fmt.Sprintf("What is meant by %s?", about)
}

func atTurn(turn int) string {
	if turn <= 0 {
		return ""
	}
	return fmt.Sprintf(" in turn %d", turn)
}
