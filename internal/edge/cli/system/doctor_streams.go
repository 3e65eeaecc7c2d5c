package system

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/connect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// streams checks every stream the way the services do for /readyz: leader, replicas, space, settings, and
// whether a write would be accepted. What this user may not write is not tried, as that would say nothing
// about the services' users.
func streams(check *checkup, broker *nats.Broker) {
	found := vitals.Look(check, broker.JetStream(), broker.Topology())
	writes := []vitals.Write{vitals.InputWrite(events.ClassRunRaw)}
	for _, stage := range connect.Stages {
		writes = append(writes, vitals.StageWrites(stage)...)
	}
	tried := vitals.TryWrites(check, broker.Conn(), writes...)
	if stored := vitals.Store(check, broker.Conn(), "doctor"); stored != nil {
		tried = append(tried, *stored)
	}
	hidden := denials(found.All())
	found.Faults = append(found.Faults, tried...)
	_ = found.Hear(check, broker.Conn()) // what it receives is among the faults
	denied, wrong := 0, 0
	for _, f := range found.All() {
		switch f.Kind {
		case vitals.PermissionDenied:
			denied++
		case vitals.ClockOff, vitals.OldServer: // reported on lines of their own
		default:
			wrong++
			check.line(false, "streams", "%v", f)
		}
	}
	if hidden > 0 {
		check.line(false, "streams", "this user may not read %d of %d: run doctor as admin or auditor", hidden,
			len(found.Streams))
		return
	}
	switch {
	case wrong > 0:
	case denied > 0:
		check.line(true, "streams", "%d, each with a leader and its replicas; writes are not tried as this user", len(found.Streams))
	default:
		check.line(true, "streams", "%d, each with a leader and its replicas, and writes are accepted", len(found.Streams))
	}
}

// denials counts the faults that only concern this user's permissions.
func denials(faults []vitals.Fault) (n int) {
	for _, f := range faults {
		if f.Kind == vitals.PermissionDenied {
			n++
		}
	}
	return n
}
