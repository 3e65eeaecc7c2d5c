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
	// Options returns what the machine can do besides.
	Options() Options[S]
}

// Options are what a machine can do beyond its interface. The zero value is a machine that
// can do nothing more; each field says what happens then.
type Options[S any] struct {
	// Oldest is the oldest version of a snapshot that Decode reads, for a machine whose source
	// does not hold what a state could be rebuilt from. 0: only the present version is read.
	Oldest int
	// Whole requires of a state that it covers every input its group ever had. Where inputs
	// were lost before they were saved, no more are accepted of the group. False: the state is
	// rebuilt from what the source still holds.
	Whole bool
	// Poisoned reports an input that could not be folded, for example as a failed
	// turn.evaluated. The state is as if the input never came. Nil: only its dead letter shows it.
	Poisoned Report
	// Refused reports an input that could not be decoded or validated: the first stage names
	// what was refused at the door (DP-33). Nil: only its dead letter shows it.
	Refused Report
	// Redaction shows a skipped input without its secrets (SW-7). Zero: a dead letter has none
	// of its data.
	Redaction Redaction
	// Recalled returns the redaction that also knows the secrets in a group's state: what was
	// recognised once is redacted where it is repeated. The functions keep no reference to the
	// state, as one that takes too long may still run beside the next step. Nil: Redaction.
	Recalled func(state S) Redaction
}

// Report emits what a machine reports about an input that was given up, and why. The function
// text returns a text of the input without its secrets.
type Report func(in Input, reason string, text func(string) string, out *Emitter)

// Redaction removes secrets from an input that was given up.
type Redaction struct {
	Data func(in Input) []byte    // the event's data
	Text func(text string) string // a text of its envelope, or of an error about it
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
