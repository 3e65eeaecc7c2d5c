package notice

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Source is the CloudEvents source of facts about notifications.
const Source = "/scaffoldwatch/reporter"

// Event returns the fact as it is published: its id is the same each time, so that INPUT holds it once.
func (f *Fact) Event() events.Event {
	e := events.Event{
		ID: f.ID, Source: Source, Type: f.Type, Subject: f.Subject, Time: f.At, CausationID: f.Data.About,
		Correlation: f.Run, PartitionKey: f.Run,
	}
	if f.Type == runevents.TypeNotificationHeld {
		data := runevents.NotificationHeld(f.Data)
		e.Data = &data
		return e
	}
	data := runevents.NotificationSent(f.Data)
	e.Data = &data
	return e
}
