package client

import (
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// runTypes maps the Go type of a run event's data to its descriptor.
var runTypes = func() map[reflect.Type]events.Descriptor {
	out := map[reflect.Type]events.Descriptor{}
	for _, d := range events.All() {
		if d.RunEvent {
			out[reflect.TypeOf(d.New()).Elem()] = d
		}
	}
	return out
}()

// event returns an event with a copy of the data and a new id: a task that fails twice in
// the same way has failed twice.
func (r *Run) event(data any) (events.Event, error) {
	v := reflect.Indirect(reflect.ValueOf(data))
	if !v.IsValid() {
		return events.Event{}, errors.New("nil is not a run event; pass data such as events.TaskCompleted")
	}
	d, ok := runTypes[v.Type()]
	if !ok {
		return events.Event{}, fmt.Errorf("%s is not the data of a run event, as events.TaskCompleted is", v.Type())
	}
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	actor := copied.Elem().FieldByName("Actor").Addr().Interface().(*runevents.Actor)
	if actor.Kind == "" {
		*actor = r.actor(d.Role, *actor)
	}
	return events.Event{ID: newID(), Type: d.Type, Subject: r.id, PartitionKey: r.id, Correlation: r.id, Data: copied.Interface()}, nil
}

// actor returns the actor of an event, with a default where the event does not name one.
func (r *Run) actor(role events.Role, given runevents.Actor) runevents.Actor {
	actor := r.options.Actor
	if given.ID != "" {
		actor.ID = given.ID
	}
	return events.ActorFor(actor, role)
}

// newID returns a random id.
func newID() string { return strings.ToLower(rand.Text()) }
