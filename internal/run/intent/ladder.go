package intent

import (
	"fmt"
	"slices"
	"strings"
)

// Settings of require_intent_confirmation (PL-33); the default is uncertain.
const (
	confirmNever  = "never"
	confirmAlways = "always"
)

// route takes a checkpoint up the ladder (PL-33, PL-34). A clear task goes on in
// silence.
func (d *decision) route(structure *structure) {
	s := d.state
	always := slices.Contains(d.config.CouncilAlways, s.Checkpoint.TaskType)
	switch {
	case structure.level == Clear:
		return
	case s.vague() && !always:
		d.clarify(structure.level)
	default:
		d.councilDue(structure)
	}
}

// clarify asks about a vague ticket; it was asked about when it came, unless a
// setting forbade it.
func (d *decision) clarify(level Level) {
	switch {
	case d.state.Confirmation == confirmNever:
		d.take("the agent's own", d.state.Checkpoint.Interpretation)
	case d.state.waiting() == nil:
		d.ask(level, d.checkpointReadings())
	}
}

// councilDue says that several readings have to be compared before work begins.
func (d *decision) councilDue(structure *structure) {
	code := CodeUncertain
	if structure.level == Ambiguous {
		code = CodeAmbiguous
	}
	d.state.Due, d.state.Council = structure.level, nil
	d.warn("PL-31", code, fmt.Sprintf("What is meant is %s: %s. A council of %d model families compares readings before work begins.",
		structure.level, strings.Join(structure.reasons, "; "), d.config.Council.Challengers+1), d.ticketEvent())
}

func (d *decision) ticketEvent() string {
	if d.state.Ticket == nil {
		return ""
	}
	return d.state.Ticket.Event
}

// afterCouncil is the second half of the ladder: the council's level counts, and
// what the trigger says about asking.
func (d *decision) afterCouncil(o *Outcome) {
	s := d.state
	s.Due = ""
	switch {
	case s.Skip:
	case strings.EqualFold(o.Mode, modeUnanswerable):
		d.outbox(o)
	case o.Level == Clear:
	case s.Confirmation == confirmNever:
		d.take("the council's", o.reading(s.Checkpoint))
	default:
		d.ask(o.Level, d.councilReadings(o))
	}
}

// reading is the interpretation that won: the council's, else the agent's.
func (o *Outcome) reading(c *Checkpoint) string {
	if o.Winner != "" || c == nil {
		return o.Winner
	}
	return c.Interpretation
}

// take warns that a reading was taken and nobody asked (require_intent_confirmation: never).
func (d *decision) take(whose, reading string) {
	if reading == "" {
		reading = "none was given"
	}
	d.warn("PL-33", CodeWinner, fmt.Sprintf("Nobody is asked (require_intent_confirmation: never); work goes on with %s reading: %s", whose, reading), d.ticketEvent())
}

// holdGates turns an allow into a hold while the run waits for an answer that
// has no default: it is paused (PL-33). It looks at what the layers before it
// concluded about the same event.
func (d *decision) holdGates() {
	r := d.state.waiting()
	if r == nil || r.Default != "" {
		d.state.Held = nil
		return
	}
	d.hold(r)
	d.remember()
}
