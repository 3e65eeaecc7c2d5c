package engine

import (
	"context"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// purges reports whether an event erases its group (AU-40). Only an operator can say it:
// on another subject its type does not fit.
func purges(ev events.Event) bool { return ev.Type == runevents.TypeContentPurged }

// before returns the state of a record's group without the record. A purge needs none: it
// begins with a new state, and whatever the kernel held of the group is dropped.
func (k *Kernel[S]) before(ctx context.Context, record Record) (*held[S], error) {
	if !purges(record.Input.Event) {
		return k.state(ctx, record.Group, record.Position.Sequence-1)
	}
	k.states.remove(record.Group)
	k.packed.remove(record.Group)
	sequence := record.Position.Sequence - 1
	return &held[S]{group: record.Group, state: k.machine.New(record.Group), sequence: sequence, base: sequence}, nil
}
