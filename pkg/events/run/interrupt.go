package run

import (
	"fmt"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// AsInterrupt returns an event in the form of an interrupt for an agent, given its id,
// group and data: an interrupt.fired as it is, or a correction.issued whose target is an
// agent with a known session. Corrections are delivered like interrupts, outside the
// budget (RW-40). The id of a correction's interrupt is the event's; it does not expire.
// It returns false for any other event.
func AsInterrupt(id, group string, data any) (*sessionevents.InterruptFired, bool) {
	switch d := data.(type) {
	case *sessionevents.InterruptFired:
		return d, true
	case *CorrectionIssued:
		if d.Target.Session == "" {
			return nil, false
		}
		return &sessionevents.InterruptFired{
			Session: d.Target.Session, Run: group, ID: id, Layer: d.Layer, Detector: d.Issue,
			Headline: fmt.Sprintf("⚡ SCAFFOLD-WATCH CORRECTION [%s | STEP %d]", d.Issue, d.Step),
			Message:  correctionText(d), HoldUntil: sessionevents.HoldImmediate, Target: sessionevents.Target{Session: d.Target.Session, Instance: group},
		}, true
	}
	return nil, false
}

// correctionText returns the observation, then the action. From the second step on, the
// text of a correction contains both.
func correctionText(d *CorrectionIssued) string {
	if d.Reason == "" || d.Step > 1 {
		return d.Text
	}
	return d.Reason + " " + d.Text
}
