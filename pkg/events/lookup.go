package events

// Describe returns the catalogue entry of a type, and an [*InvalidError] for a
// type that is not in it.
func Describe(t Type) (Descriptor, error) {
	d, ok := Lookup(t)
	if !ok {
		return d, unknownType(t)
	}
	return d, nil
}

func unknownType(t Type) *InvalidError {
	return &InvalidError{
		Code: CodeUnknownType, Field: "type", Problem: "unknown event type " + Quote(string(t)),
		Cure: "use a type of the contract (docs/asyncapi.yaml), or a scaffoldwatch that knows this one",
	}
}

// CheckRouting reports, as an [*InvalidError], a subject or group that subjects
// of the broker cannot be built from (EV-3).
func CheckRouting(e Event) error {
	if !ValidID(e.Subject) {
		return badID("subject", e.Subject)
	}
	if !ValidID(e.Group()) {
		return badID("partitionkey", e.Group())
	}
	return nil
}
