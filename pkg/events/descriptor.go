package events

import (
	"reflect"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Direction is the origin of an event.
type Direction string

// Directions.
const (
	DirectionInput    Direction = "input"    // recorded in INPUT as received
	DirectionDerived  Direction = "derived"  // a function of inputs, part of the public result
	DirectionInternal Direction = "internal" // derived, read only by another stage
)

// Role is the credential an event type requires (EV-10). The role is part of the type:
// the same type on another subject is a forgery.
type Role string

// Roles.
const (
	RolePublisher  Role = "publisher"
	RoleInfra      Role = "infra"
	RoleOperator   Role = "operator"
	RoleIngest     Role = "service:ingest"
	RoleEvaluator  Role = "service:evaluator"
	RoleDispatcher Role = "service:dispatcher"
	RoleReporter   Role = "service:reporter"
	roleAdvisor    Role = "service:advisor" // its events have a subject of their own
	RoleTimers     Role = "service:timers"  // the broker, for timers scheduled in TIMERS (EV-9)
)

// Stream is a JetStream stream of the pipeline (EV-5).
type Stream string

// Streams, each written by one stage that reads the previous one. TIMERS is separate:
// timers wait there, and INPUT receives expired ones (EV-9).
const (
	StreamInput      Stream = "INPUT"
	StreamTimers     Stream = "TIMERS"
	StreamSegments   Stream = "SEGMENTS"
	StreamSignals    Stream = "SIGNALS"
	StreamDecisions  Stream = "DECISIONS"
	StreamDeadLetter Stream = "DEADLETTER"
)

// Subject classes that several types share; every other class is its type's name.
const (
	ClassRunRaw      = "run.raw"      // run events from publishers
	ClassRunFact     = "run.fact"     // run events observed by infrastructure (EV-10)
	ClassOperatorAct = "operator.act" // what only an operator may send (EV-10)
	// ClassNotification holds the outcomes of notifications, which only the reporter may
	// send (EV-10).
	ClassNotification = "notification.told"
)

// Descriptor describes one event type of the contract.
type Descriptor struct {
	Type      Type
	New       func() any // pointer to a zero value of the Go type of its data
	Direction Direction
	Role      Role
	// SubjectClass is the first two tokens of its subjects (EV-4).
	SubjectClass string
	Stream       Stream // where it is first written
	Doc          string // one line
	// RunEvent is set for facts about a run, whose subject is the run.
	RunEvent bool
}

// Printed reports whether `scan --output jsonl` prints the type: decisions are printed,
// but neither input nor what stages only pass on to each other.
func (d Descriptor) Printed() bool {
	if d.Direction != DirectionDerived {
		return false
	}
	switch d.Type {
	case sessionevents.TypeTurnEvaluated, sessionevents.TypeInputRefused, runevents.TypeHaltIgnored, runevents.TypeWiggumBreak:
		return true
	}
	family, _, _ := strings.Cut(string(d.Type), ".")
	return slices.Contains(printedFamilies, family)
}

var printedFamilies = []string{
	"signal", "interrupt", "budget", "policy", "correction", "escalation",
	"gate", "violation", "warning", "clarification",
}

// Lookup returns the descriptor of a type, and false for an unknown one.
func Lookup(t Type) (Descriptor, bool) {
	i, ok := byType[t]
	if !ok {
		return Descriptor{}, false
	}
	return catalog[i], true
}

// All returns every type of the contract in the order of the documentation: inputs first,
// then run events, then what the services send.
func All() []Descriptor { return slices.Clone(catalog) }

var byType = index(catalog)

func index(all []Descriptor) map[Type]int {
	out := make(map[Type]int, len(all))
	for i, d := range all {
		out[d.Type] = i
	}
	return out
}

// ClaimedRole returns the role that a run event's actor claims, for use without credentials, as in
// `scan`: human is the operator and infra the infrastructure (EV-10). It is empty for an event that
// is not about a run.
func ClaimedRole(e Event) Role {
	d, ok := Lookup(e.Type)
	if !ok || !d.RunEvent {
		return ""
	}
	actor, _ := ActorOf(e.Data)
	switch actor.Kind {
	case runevents.ActorHuman:
		return RoleOperator
	case runevents.ActorInfra:
		return RoleInfra
	}
	return RolePublisher
}

// ActorFor returns a; an empty kind is filled in from the role, by default orchestrator.
func ActorFor(a runevents.Actor, role Role) runevents.Actor {
	switch {
	case a.Kind != "":
	case role == RoleOperator:
		a.Kind = runevents.ActorHuman
	case role == RoleInfra:
		a.Kind = runevents.ActorInfra
	default:
		a.Kind = runevents.ActorOrchestrator
	}
	return a
}

// ActorOf returns the actor of a run event's data (a pointer to its Go type), and false
// if the type has none.
func ActorOf(data any) (runevents.Actor, bool) {
	v := reflect.Indirect(reflect.ValueOf(data))
	if v.Kind() != reflect.Struct {
		return runevents.Actor{}, false
	}
	f := v.FieldByName("Actor")
	if !f.IsValid() {
		return runevents.Actor{}, false
	}
	a, ok := f.Interface().(runevents.Actor)
	return a, ok
}
