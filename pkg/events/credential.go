package events

import (
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

import "reflect"

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
