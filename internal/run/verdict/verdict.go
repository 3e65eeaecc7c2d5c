// Package verdict is what the layers of run watch — run, wave protocol,
// pipeline — conclude from one event, in order. A layer concludes; the run fold
// alone turns a wished break into a wiggum.break, a note on the open one, or an
// upgrade (RW-32), and keeps escalations open until they are acknowledged
// (RW-41). None of it touches the interrupt budget (RW-40).
package verdict

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Conclusion is one event to be told. Data is a pointer to the Go type that is
// registered for Type.
type Conclusion struct {
	Type    events.Type
	Subject string // session or run id; "" is the run
	Data    any
}

// Verdict collects conclusions. The zero value is ready.
type Verdict struct{ list []Conclusion }

// Conclusions returns what was concluded, in order.
func (v *Verdict) Conclusions() []Conclusion { return v.list }

// Tell adds an event about the run.
func (v *Verdict) Tell(typ events.Type, data any) { v.TellAbout("", typ, data) }

// TellAbout adds an event about a session or another run.
func (v *Verdict) TellAbout(subject string, typ events.Type, data any) {
	v.list = append(v.list, Conclusion{Type: typ, Subject: subject, Data: data})
}

// Violation says that a rule was broken.
func (v *Verdict) Violation(d runevents.ViolationDetected) {
	v.Tell(runevents.TypeViolationDetected, &d)
}

// Warning says that something is off that breaks no rule.
func (v *Verdict) Warning(d runevents.WarningIssued) { v.Tell(runevents.TypeWarningIssued, &d) }

// Gate answers a gate. Asked is the id of the event that asks.
func (v *Verdict) Gate(d runevents.GateDecided) { v.Tell(runevents.TypeGateDecided, &d) }

// Break wishes that the run stops: Kind, Trigger, Reason, Evidence (event ids)
// and WIPAction are the layer's; RunState, UnresolvedFindings, Scope, Run and
// Upgrades are filled in by the run fold. Scope session needs Session and Turn.
func (v *Verdict) Break(d runevents.WiggumBreak) { v.Tell(runevents.TypeWiggumBreak, &d) }

// Escalate asks for a person. Run or Session are filled in by the run fold.
func (v *Verdict) Escalate(d runevents.EscalationRaised) { v.Tell(runevents.TypeEscalationRaised, &d) }

// Interrupt says something to an agent outside the budget: Layer, Detector (the
// rule), Headline, Message, Reason, Session and Evidence are the layer's; ID,
// Run, Target, HoldUntil and UrgencyLabel are filled in by the run fold.
func (v *Verdict) Interrupt(d sessionevents.InterruptFired) {
	v.TellAbout(d.Session, sessionevents.TypeInterruptFired, &d)
}

// Signal says what a rule saw; the evaluator's layers use it. ID, Run and the
// figures of urgency are filled in.
func (v *Verdict) Signal(d sessionevents.Signal) { v.Tell(sessionevents.TypeSignalDetected, &d) }

// Timer asks for a timer.expired with this name at the time due (RFC 3339 with
// nanoseconds, see [At]); a timer of the same name replaces it.
func (v *Verdict) Timer(name, due string, details any) {
	v.Tell(events.TypeTimerSet, &events.TimerSet{Name: name, Due: due, Details: raw(details)})
}

// Relay tells another group something: there it arrives as timer.expired with
// this name and the details. It is how runs of one project or workspace come to
// know of each other (RW-15, PL-10). The group comes from [GroupOf].
func (v *Verdict) Relay(group, name, due string, details any) {
	v.Tell(events.TypeTimerSet, &events.TimerSet{Name: name, Due: due, Group: group, Details: raw(details)})
}

func raw(details any) json.RawMessage {
	if details == nil {
		return nil
	}
	data, err := json.Marshal(details)
	if err != nil { // details are our own plain structs
		return nil
	}
	return data
}
