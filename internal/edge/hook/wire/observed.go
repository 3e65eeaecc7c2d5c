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
