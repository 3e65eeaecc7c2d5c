package wire

import (
	"cmp"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ObservedEvent is the event of a look at a session's workspace; cause identifies what it was made for,
// so that the same look has the same id.
func ObservedEvent(o *sessionevents.WorkspaceObserved, cause string) events.Event {
	return events.Event{
		ID:     events.DerivedID("observed", o.Session+"/"+cause, "", 0),
		Source: Source, Type: sessionevents.TypeWorkspaceObserved, Subject: o.Session,
		PartitionKey: cmp.Or(o.Run, o.Session), Correlation: o.Run, Data: o,
	}
}
