package client

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Verdict is the decision about one run event.
type Verdict struct {
	Event string                 // id of the event
	Type  events.Type            // of the event
	State runevents.ControlState // of the run afterwards
	Break string                 // id of the open wiggum.break, if any
	// Decisions are the decisions about the event, in order; see [DecisionsOf].
	Decisions []events.Event
	// Failed is the reason why the event could not be evaluated; Do returns it as an
	// error.
	Failed string
}

// newVerdict collects the decisions that belong to the event.
func newVerdict(closed *runevents.RunEvaluated, heard []events.Event) Verdict {
	v := Verdict{Event: closed.Event, Type: events.Type(closed.EventType), State: closed.State, Break: closed.Break, Failed: closed.Failed}
	for _, e := range heard {
		if e.CausationID == closed.Event || slices.Contains(closed.Decisions, e.ID) {
			v.Decisions = append(v.Decisions, e)
		}
	}
	return v
}

func (v Verdict) failure() error {
	if v.Failed == "" {
		return nil
	}
	return fmt.Errorf("%s %s could not be evaluated: %s", v.Type, v.Event, v.Failed)
}

// MayGoOn reports whether the run is running and no gate that the event asked refused.
func (v Verdict) MayGoOn() bool { return control.Permits(v.State, control.Task) && v.Refused() == nil }

// FinishThenStop reports whether the current task may be finished but no other started
// (RW-31).
func (v Verdict) FinishThenStop() bool { return !v.MustStop() && control.Stops(v.State, control.Task) }

// MustStop reports whether all work must stop until a person resumes the run: it is halted or
// paused, or its state is unknown.
func (v Verdict) MustStop() bool { return !control.Permits(v.State, control.Step) }

// Refused returns the first gate of the event that did not allow the act, or nil if none
// refused.
func (v Verdict) Refused() *runevents.GateDecided {
	for _, gate := range v.Gates() {
		if !Allows(gate) {
			return gate
		}
	}
	return nil
}

// Allows reports whether a gate allows the act, with or without a warning.
func Allows(gate *runevents.GateDecided) bool {
	return gate != nil && gate.Passes()
}

// DecisionsOf returns the data of the decisions of one type, in order, such as
// DecisionsOf[runevents.CorrectionIssued](v).
func DecisionsOf[T any](v Verdict) []*T {
	var out []*T
	for _, e := range v.Decisions {
		if data, ok := e.Data.(*T); ok {
			out = append(out, data)
		}
	}
	return out
}

// Gates returns the answers of the gates that the event asked.
func (v Verdict) Gates() []*runevents.GateDecided { return DecisionsOf[runevents.GateDecided](v) }

// Breaks returns the breaks that the event caused; an earlier one may still be open.
func (v Verdict) Breaks() []*runevents.WiggumBreak { return DecisionsOf[runevents.WiggumBreak](v) }

// Corrections returns the changes requested of agents or the orchestrator.
func (v Verdict) Corrections() []*runevents.CorrectionIssued {
	return DecisionsOf[runevents.CorrectionIssued](v)
}

// Violations returns the protocol rules that the event broke.
func (v Verdict) Violations() []*runevents.ViolationDetected {
	return DecisionsOf[runevents.ViolationDetected](v)
}

// Warnings returns the anomalies that break no rule.
func (v Verdict) Warnings() []*runevents.WarningIssued {
	return DecisionsOf[runevents.WarningIssued](v)
}

// Escalations returns what needs a person's attention.
func (v Verdict) Escalations() []*runevents.EscalationRaised {
	return DecisionsOf[runevents.EscalationRaised](v)
}
