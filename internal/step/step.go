// Package step is the shape every stage shares: Step(state, event) → (state,
// events). A step is pure; its input brings the time (EV-9).
package step

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Input is one event as a stage reads it.
type Input struct {
	Event events.Event
	// Arrived is when the broker recorded the event; zero offline, where no
	// timers exist. It may decide timers only, never a derived event (EV-9).
	Arrived time.Time
}

// Machine is a stage's pure fold. One value of S exists per group: the run
// where there is one, else the session (EV-4).
//
// Step may change state in place and return it. It must not keep references
// into the input that it later changes.
type Machine[S any] interface {
	// Stage is the stage's name: ingest, evaluator, dispatcher or reporter.
	Stage() string
	// New is the state of a group nothing is known of.
	New(group string) S
	// Step folds one event and emits what it derives through out.
	Step(state S, in Input, out *Emitter) (S, error)
	// Encode and Decode are the snapshot form; Version is its schema version.
	// A snapshot of an older version is rebuilt, a newer one refused (EV-11).
	Encode(state S) ([]byte, error)
	Decode(data []byte) (S, error)
	Version() int
	// Size estimates the bytes a state holds in memory.
	Size(state S) int
}

// Identity is what every derived event says about how it was derived (EV-2).
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
	cited    events.Event // the cause as it is shown
	ordinal  int
	out      []events.Event
}

// NewEmitter starts the output of one Step for the input cause.
func NewEmitter(stage string, id Identity, cause events.Event) *Emitter {
	return &Emitter{stage: stage, identity: id, cause: cause, cited: cause}
}

// Cite says how the cause is shown in what is derived: ingest leaves out the
// secrets of its envelope (SW-7). Ids still follow from the cause as it came.
func (e *Emitter) Cite(cause events.Event) { e.cited = cause }

// Source is the CloudEvents source of what a stage derives.
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
	ev.JoinRun() // as a reader will: what is decided and what is read are the same bytes
	e.out = append(e.out, ev)
	return id
}

// NextID is the id the next Emit will give, for data that carries its own id.
func (e *Emitter) NextID() string {
	return events.DerivedID(e.stage, e.cause.Source, e.cause.ID, e.ordinal)
}

// Forward passes an input event on, as it is, for a later stage (EV-5).
func (e *Emitter) Forward(ev events.Event) { e.out = append(e.out, ev) }

// Cause is the event being folded.
func (e *Emitter) Cause() events.Event { return e.cause }

// Events returns what was emitted, in order.
func (e *Emitter) Events() []events.Event { return e.out }
