package events

import "fmt"

// AsInterrupt is what an event says to an agent: an interrupt.fired as it is, or
// a correction.issued whose target is an agent with a known session, in an
// interrupt's form. Corrections are delivered like interrupts, outside the budget
// (RW-40). The id of a correction's interrupt is the event's; it does not expire.
func AsInterrupt(e Event) (*InterruptFired, bool) {
	switch d := e.Data.(type) {
	case *InterruptFired:
		return d, true
	case *CorrectionIssued:
		if d.Target.Session == "" {
			return nil, false
		}
		return &InterruptFired{
			Session: d.Target.Session, Run: e.Group(), ID: e.ID, Layer: d.Layer, Detector: d.Issue,
			Headline: fmt.Sprintf("⚡ SCAFFOLD-WATCH CORRECTION [%s | STEP %d]", d.Issue, d.Step),
			Message:  d.said(), HoldUntil: "immediate", Target: Target{Session: d.Target.Session, Instance: e.Group()},
		}, true
	}
	return nil, false
}

// said is what a correction tells its agent: what was seen, then what to do. From
// the second step on its text holds both.
func (d *CorrectionIssued) said() string {
	if d.Reason == "" || d.Step > 1 {
		return d.Text
	}
	return d.Reason + " " + d.Text
}
