package events

// ClaimedRole is the role that a run event's actor claims, for where there are
// no credentials: in `scan`, human is the operator and infra the infrastructure
// (events.md, "Command line"). Empty for what is no run event.
func ClaimedRole(e Event) Role {
	d, ok := Lookup(e.Type)
	if !ok || !d.RunEvent {
		return ""
	}
	actor, _ := ActorOf(e.Data)
	switch actor.Kind {
	case ActorHuman:
		return RoleOperator
	case ActorInfra:
		return RoleInfra
	}
	return RolePublisher
}

// ProvenRole is the role that the class of a subject in INPUT proves for a run
// event: permissions decide who may write there (EV-10). Empty for what is no
// run event.
func ProvenRole(t Type, class string) Role {
	d, ok := Lookup(t)
	if !ok || !d.RunEvent {
		return ""
	}
	switch class {
	case ClassOperatorAct:
		return RoleOperator
	case ClassRunFact:
		return RoleInfra
	}
	return RolePublisher
}

// Claims reports whether an event of a type may lie on a subject of INPUT
// without the role it needs: a run event that a publisher sends in another's
// place is kept as a claim, so that it can be judged (WP-2, WP-4).
func Claims(t Type, class string) bool {
	d, ok := Lookup(t)
	return ok && d.RunEvent && class == ClassRunRaw
}
