package run

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Conclusion is an event that a rule wants published. Data is a pointer to the Go
// type registered for Type.
type Conclusion struct {
	Type    events.Type
	Subject string // session or run id; "" means the run
	Data    any
}

// Conclusions returns the conclusions so far, in order.
func (c *Context) Conclusions() []Conclusion { return c.conclusions }

// Conclude adds an event about the run.
func (c *Context) Conclude(typ events.Type, data any) { c.ConcludeAbout("", typ, data) }

// ConcludeAbout adds an event about a session or another run.
func (c *Context) ConcludeAbout(subject string, typ events.Type, data any) {
	worded(data)
	c.conclusions = append(c.conclusions, Conclusion{Type: typ, Subject: subject, Data: data})
}

// Violation reports that a rule was broken.
func (c *Context) Violation(d runevents.ViolationDetected) {
	c.Conclude(runevents.TypeViolationDetected, &d)
}

// Warning reports a problem that breaks no rule.
func (c *Context) Warning(d runevents.WarningIssued) { c.Conclude(runevents.TypeWarningIssued, &d) }

// Gate answers a gate. Asked is the id of the event that asks.
func (c *Context) Gate(d runevents.GateDecided) { c.Conclude(runevents.TypeGateDecided, &d) }

// RequestBreak asks settle to stop the run: the rule sets Kind, Trigger, Reason, Evidence
// (event ids) and WIPAction; settle fills in RunState, UnresolvedFindings, Scope, Run and
// Upgrades. Scope session requires Session and Turn. An open break gets a note instead of
// a second break (RW-32).
func (c *Context) RequestBreak(d runevents.WiggumBreak) { c.Conclude(runevents.TypeWiggumBreak, &d) }

// Escalate asks for a person. Settle fills in Run or Session and keeps it open
// until it is acknowledged (RW-41).
func (c *Context) Escalate(d runevents.EscalationRaised) {
	c.Conclude(runevents.TypeEscalationRaised, &d)
}

// Interrupt sends a message to an agent outside the interrupt budget (RW-40): the rule
// sets Layer, Detector (its id), Headline, Message, Reason, Session and Evidence; settle
// fills in ID, Run, Target, HoldUntil and UrgencyLabel.
func (c *Context) Interrupt(d sessionevents.InterruptFired) {
	c.ConcludeAbout(d.Session, sessionevents.TypeInterruptFired, &d)
}

// Signal emits a signal of a rule in the evaluator, which fills in ID, Run and the
// urgency.
func (c *Context) Signal(d sessionevents.Signal) { c.Conclude(sessionevents.TypeSignalDetected, &d) }

// SetTimer sets a timer that expires under this name at the time due; it replaces a timer
// of the same name.
func (c *Context) SetTimer(name string, due time.Time, details any) {
	c.Conclude(events.TypeTimerSet, &events.TimerSet{Name: name, Due: due.UTC(), Details: raw(details)})
}

// Relay sends details to another group, where they arrive as a timer.expired with
// this name. Runs of one project or workspace learn of each other this way (RW-15,
// PL-10). [GroupOf] returns the group.
func (c *Context) Relay(group, name string, due time.Time, details any) {
	c.Conclude(events.TypeTimerSet, &events.TimerSet{Name: name, Due: due.UTC(), Group: group, Details: raw(details)})
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

// worded makes the text of a conclusion safe to show: rules quote agents, tools and
// repositories (DP-20).
func worded(conclusion any) {
	for _, text := range texts(conclusion) {
		lines := strings.Split(*text, "\n") // a question to a person may have several lines
		for i := range lines {
			lines[i] = quote.Line(lines[i])
		}
		*text = strings.Join(lines, "\n")
	}
}

// texts returns the texts of a conclusion that people and agents read.
func texts(conclusion any) []*string {
	switch d := conclusion.(type) {
	case *runevents.ViolationDetected:
		return []*string{&d.What}
	case *runevents.WarningIssued:
		return []*string{&d.What}
	case *runevents.GateDecided:
		return []*string{&d.Why}
	case *runevents.WiggumBreak:
		return append(answers(d.Options), &d.Reason, &d.Present)
	case *runevents.EscalationRaised:
		return append(answers(d.Options), &d.Text)
	case *runevents.ClarificationRequested:
		return append(answers(d.Options), &d.Question)
	case *runevents.CorrectionIssued:
		return []*string{&d.Text, &d.Reason}
	case *runevents.PolicyCheckpoint:
		return []*string{&d.Why}
	case *runevents.HaltIgnored:
		return []*string{&d.Reason}
	case *sessionevents.InterruptFired:
		return []*string{&d.Message, &d.Reason}
	case *sessionevents.Signal:
		return []*string{&d.Message, &d.Reason}
	}
	return nil
}

// answers returns the texts of the answers that a person can choose from.
func answers(options []runevents.Option) []*string {
	var out []*string
	for i := range options {
		o := &options[i]
		out = append(out, &o.Text, &o.Evidence, &o.Effect, &o.Tradeoff)
	}
	return out
}
