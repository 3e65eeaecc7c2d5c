// Package step defines the shape that every stage shares: Step(state, event) →
// (state, events), a pure function whose only clock is its input (EV-9).
package step

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Input is one event as a stage reads it.
type Input struct {
	Event events.Event
	// Arrived is when the broker recorded the event; zero without a broker. Only timers
	// may depend on it, never a derived event (EV-9).
	Arrived time.Time
	// Account is the nats-server account whose intake the event came through, according
	// to the broker; empty without an intake.
	Account string
	// Valid reports whether the source has validated the event with [events.Validate].
	Valid bool
}

// Machine is a stage's pure fold. One value of S exists per group: the run
// where there is one, else the session (EV-4).
//
// Step may change state in place and return it. It must not keep references
// into the input that it later changes.
type Machine[S any] interface {
	// Stage returns the stage's name: ingest, evaluator, dispatcher or reporter.
	Stage() string
	// New returns the state of a group without events.
	New(group string) S
	// Step folds one event and emits what it derives through out.
	Step(state S, in Input, out *Emitter) (S, error)
	// Encode and Decode convert a state to its snapshot form and back; Version is
	// the schema version of that form. A snapshot of an older version is ignored
	// and the state rebuilt; one of a newer version is an error (EV-11).
	Encode(state S) ([]byte, error)
	Decode(data []byte) (S, error)
	Version() int
	// Size estimates the bytes a state holds in memory.
	Size(state S) int
}

// Upgrader is a Machine that reads snapshots of earlier versions, because its state
// cannot be rebuilt from its source.
type Upgrader interface {
	// Oldest returns the oldest version that Decode reads.
	Oldest() int
}

// Whole is a Machine whose state must cover every input its group ever had. If inputs
// were lost before they were saved, it accepts no further input of the group.
type Whole interface {
	// Whole marks the machine.
	Whole()
}

// Identity identifies the rules and configuration of derived events (EV-2).
type Identity struct {
	RulesVersion string
	ConfigHash   string
}

// Emitter collects what one Step derives and gives each event its deterministic
// id, time and causation (EV-2).
type Emitter struct {
	stage    string
	identity Identity
	cause    events.Event
	cited    events.Event // the cause in the form that is cited
	ordinal  int
	out      []events.Event
}

// NewEmitter starts the output of one Step for the input cause.
func NewEmitter(stage string, id Identity, cause events.Event) *Emitter {
	return &Emitter{stage: stage, identity: id, cause: cause, cited: cause}
}

// Cite sets the form in which derived events refer to the cause: ingest removes the
// secrets of its envelope (SW-7). Ids are still derived from the original cause.
func (e *Emitter) Cite(cause events.Event) { e.cited = cause }

// Source returns the CloudEvents source of a stage's events.
func Source(stage string) string { return "/scaffoldwatch/" + stage }

// Emit derives an event about subject (a session or run id); data is a pointer
// to the type registered for typ. It returns the event's id.
func (e *Emitter) Emit(typ events.Type, subject string, data any) string {
	id := e.NextID()
	e.ordinal++
	ev := events.Event{
		ID: id, Source: Source(e.stage), Type: typ, Subject: subject, Time: e.cause.Time,
		CausationID: e.cited.ID, Correlation: e.cited.Correlation, PartitionKey: e.cause.Group(),
		TraceParent: e.cited.TraceParent, RulesVersion: e.identity.RulesVersion, ConfigHash: e.identity.ConfigHash,
		Data: data,
	}
	ev.JoinRun() // as a reader will: decided and read bytes must be the same
	e.out = append(e.out, ev)
	return id
}

// NextID returns the id that the next Emit will use, for data that contains it.
func (e *Emitter) NextID() string {
	return events.DerivedID(e.stage, e.cause.Source, e.cause.ID, e.ordinal)
}

// Forward forwards an input event unchanged to a later stage (EV-5).
func (e *Emitter) Forward(ev events.Event) { e.out = append(e.out, ev) }

// Cause returns the event being folded.
func (e *Emitter) Cause() events.Event { return e.cause }

// Events returns what was emitted, in order.
func (e *Emitter) Events() []events.Event { return e.out }
