package subjects

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

// ProvenRole returns the role that the class of a subject in INPUT proves for a run
// event: permissions decide who may write there (EV-10). It is empty for other events.
func ProvenRole(t events.Type, class string) events.Role {
	d, ok := events.Lookup(t)
	if !ok || !d.RunEvent {
		return ""
	}
	switch class {
	case events.ClassOperatorAct:
		return events.RoleOperator
	case events.ClassRunFact:
		return events.RoleInfra
	}
	return events.RolePublisher
}

// Claims reports whether an event of a type is allowed on a subject of INPUT without the
// role it requires: a run event that a publisher sends in another's place is kept as a
// claim, so that it can be evaluated (WP-2, WP-4).
func Claims(t events.Type, class string) bool {
	d, ok := events.Lookup(t)
	return ok && d.RunEvent && class == events.ClassRunRaw
}
