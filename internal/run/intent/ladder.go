package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Settings of require_intent_confirmation (PL-33); the default is uncertain.
const (
	confirmNever  = "never"
	confirmAlways = "always"
)

// route moves a checkpoint up the ladder (PL-33, PL-34). A clear task continues without
// any output.
func (c *Context) route(structure *structure) {
	s := c.state
	always := slices.Contains(c.config.CouncilAlways, s.Checkpoint.TaskType)
	switch {
	case structure.level == Clear:
		return
	case s.vague() && !always:
		c.clarify(structure.level)
	default:
		c.councilDue(structure)
	}
}

// clarify asks about a vague ticket, unless that was done when it was received.
func (c *Context) clarify(level Level) {
	switch {
	case c.state.Confirmation == confirmNever:
		c.take("the agent's own", c.state.Checkpoint.Interpretation)
	case c.state.waiting() == nil:
		c.ask(level, c.state.checkpointReadings())
	}
}

// councilDue reports that several readings must be compared before work starts.
func (c *Context) councilDue(structure *structure) {
	code := CodeUncertain
	if structure.level == Ambiguous {
		code = CodeAmbiguous
	}
	c.state.Due, c.state.Council = structure.level, nil
	c.warn("PL-31", code, fmt.Sprintf("What is meant is %s: %s. A council of %d model families compares readings before work begins.",
		structure.level, strings.Join(structure.reasons, "; "), c.config.Council.Challengers+1), c.state.ticketEvent())
}

func (s *State) ticketEvent() string {
	if s.Ticket == nil {
		return ""
	}
	return s.Ticket.Event
}

// councilConcluded is PL-33, the second half of the ladder, which depends on the
// council's level and the confirmation setting.
var councilConcluded = Rule{ID: "PL-33", On: run.Types(runevents.TypeCouncilCompleted), Run: run.With(func(c *Context, _ *runevents.CouncilCompleted) {
	s, o := c.state, c.outcome
	s.Council = o
	s.Log.council(o, c.config.Kept.Log)
	s.Due = ""
	switch {
	case s.Skip:
	case strings.EqualFold(o.Mode, modeUnanswerable):
		c.outbox(o)
	case o.Level == Clear:
	case s.Confirmation == confirmNever:
		c.take("the council's", o.reading(s.Checkpoint))
	default:
		c.ask(o.Level, c.state.councilReadings(o))
	}
})}

// reading returns the winning interpretation: the council's, otherwise the agent's.
func (o *Outcome) reading(c *Checkpoint) string {
	if o.Winner != "" || c == nil {
		return o.Winner
	}
	return c.Interpretation
}

// take warns that a reading was chosen without confirmation (require_intent_confirmation:
// never).
func (c *Context) take(whose, reading string) {
	if reading == "" {
		reading = "none was given"
	}
	c.warn("PL-33", CodeWinner, fmt.Sprintf("Nobody is asked (require_intent_confirmation: never); work goes on with %s reading: %s", whose, reading), c.state.ticketEvent())
}

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
