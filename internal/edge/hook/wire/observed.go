package wire

import (
	"cmp"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ObservedEvent returns the event of an observation of a session's workspace; cause identifies the reason
// for it, so that the same observation has the same id.
func ObservedEvent(o *sessionevents.WorkspaceObserved, cause string) events.Event {
	return events.Event{
		ID:     events.DerivedID("observed", o.Session+"/"+cause, "", 0),
		Source: Source, Type: sessionevents.TypeWorkspaceObserved, Subject: o.Session,
		PartitionKey: cmp.Or(o.Run, o.Session), Correlation: o.Run, Data: o,
	}
}

// Source is the CloudEvents source of what hooks record.
const Source = "/scaffoldwatch/hook"

// GuardEvent returns the event of a decision about a call of a session or its subagent; hook identifies the
// call if the agent does not. The same call and verdict give the same id.
func GuardEvent(d *sessionevents.GuardDecided, session, hook string) events.Event {
	group := d.Run
	if group == "" && d.Session != session {
		group = session // a subagent is in its parent's group (EV-4)
	}
	d.Run = group
	return events.Event{
		ID:     events.DerivedID("guard", d.Session+"/"+cmp.Or(d.Call, hook), string(d.Verdict), 0),
		Source: Source, Type: sessionevents.TypeGuardDecided, Subject: d.Session, PartitionKey: group, Correlation: group, Data: d,
	}
}
