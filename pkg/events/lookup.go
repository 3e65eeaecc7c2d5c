package events

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
)

// Describe returns the catalogue entry of a type, or an [*invalid.Error] if the type is
// not in it.
func Describe(t Type) (Descriptor, error) {
	d, ok := Lookup(t)
	if !ok {
		return d, unknownType(t)
	}
	return d, nil
}

func unknownType(t Type) *invalid.Error {
	return &invalid.Error{
		Code: invalid.UnknownType, Field: "type", Problem: "unknown event type " + invalid.Quote(string(t)),
		Cure: "use a type of the contract (docs/asyncapi.yaml), or a scaffoldwatch that knows this one",
	}
}

// CheckRouting returns an [*invalid.Error] if subjects cannot be built from the event's
// subject or group (EV-3).
func (e Event) CheckRouting() error {
	if !ValidID(e.Subject) {
		return badID("subject", e.Subject)
	}
	if !ValidID(e.Group()) {
		return badID("partitionkey", e.Group())
	}
	return nil
}

func badID(field, value string) *invalid.Error {
	return &invalid.Error{
		Code: invalid.BadID, Field: field, Problem: fmt.Sprintf("id %s cannot be part of a subject", invalid.Quote(value)),
		Cure: "use 1 to 128 of the characters A-Z a-z 0-9 _ -",
	}
}
