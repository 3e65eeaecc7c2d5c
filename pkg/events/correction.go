package events

import (
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

import "fmt"

// AsInterrupt is what an event says to an agent: an interrupt.fired as it is, or
// a correction.issued whose target is an agent with a known session, in an
// interrupt's form. Corrections are delivered like interrupts, outside the budget
// (RW-40). The id of a correction's interrupt is the event's; it does not expire.
func AsInterrupt(e Event) (*sessionevents.InterruptFired, bool) {
	switch d := e.Data.(type) {
	case *sessionevents.InterruptFired:
		return d, true
	case *runevents.CorrectionIssued:
		if d.Target.Session == "" {
			return nil, false
		}
		return &sessionevents.InterruptFired{
			Session: d.Target.Session, Run: e.Group(), ID: e.ID, Layer: d.Layer, Detector: d.Issue,
			Headline: fmt.Sprintf("⚡ SCAFFOLD-WATCH CORRECTION [%s | STEP %d]", d.Issue, d.Step),
			Message:  correctionText(d), HoldUntil: "immediate", Target: sessionevents.Target{Session: d.Target.Session, Instance: e.Group()},
		}, true
	}
	return nil, false
}

// correctionText is what a correction tells its agent: what was seen, then what to do. From
// the second step on its text holds both.
func correctionText(d *runevents.CorrectionIssued) string {
	if d.Reason == "" || d.Step > 1 {
		return d.Text
	}
	return d.Reason + " " + d.Text
}
