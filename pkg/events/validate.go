package events

import (
	"fmt"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Validate checks an event from outside (EV-3): its envelope, its type, the ids that
// subjects are built from, size, depth, UTF-8, and the fields its type requires. A zero
// Limits means [DefaultLimits]. The error is an [*invalid.Error].
func Validate(e Event, limits Limits) error {
	if err := validateEnvelope(e); err != nil {
		return err
	}
	d, err := Describe(e.Type)
	if err != nil {
		return err
	}
	if err := e.CheckRouting(); err != nil {
		return err
	}
	if err := validateBytes(e, limits.orDefault()); err != nil {
		return err
	}
	if e.Data == nil {
		if e.Data, err = DecodeData(e.Type, e.Raw); err != nil {
			return err
		}
	} else if err := checkDataType(e); err != nil {
		return err
	}
	if err := checkFields(e); err != nil {
		return err
	}
	return checkAgainstEnvelope(e, d)
}

func validateEnvelope(e Event) error {
	for _, a := range []struct{ name, value string }{
		{"id", e.ID}, {"source", e.Source}, {"type", string(e.Type)}, {"subject", e.Subject},
	} {
		if a.value == "" {
			return &invalid.Error{Code: invalid.MissingAttribute, Field: a.name, Problem: "the CloudEvents attribute is empty", Cure: "every event needs id, source, type and subject"}
		}
		if !utf8.ValidString(a.value) {
			return &invalid.Error{Code: invalid.NotUTF8, Field: a.name, Problem: "not valid UTF-8", Cure: "replace the invalid bytes"}
		}
	}
	if len(e.ID) > maxEventID {
		return &invalid.Error{Code: invalid.TooLarge, Field: "id", Problem: fmt.Sprintf("%d bytes, the limit is %d", len(e.ID), maxEventID)}
	}
	return nil
}

// maxEventID keeps ids small enough for headers and log lines.
const maxEventID = 512

func validateBytes(e Event, limits Limits) error {
	data := []byte(e.Raw)
	if len(data) == 0 {
		var err error
		if data, err = EncodeData(e); err != nil {
			return err
		}
	}
	if err := limits.check(data); err != nil {
		return err
	}
	if !utf8.Valid(data) {
		return &invalid.Error{Code: invalid.NotUTF8, Field: "data", Problem: "not valid UTF-8", Cure: "replace the invalid bytes (events.ValidUTF8)"}
	}
	return nil
}

// checkAgainstEnvelope refuses data that contradicts the envelope: readers route by the
// envelope and fold the data.
func checkAgainstEnvelope(e Event, d Descriptor) error {
	session, run := textField(e.Data, "Session"), textField(e.Data, "Run")
	if run != "" && e.PartitionKey != "" && e.PartitionKey != run {
		return &invalid.Error{Code: invalid.BadValue, Field: "partitionkey", Problem: fmt.Sprintf("is %q but data.run is %q", e.PartitionKey, run), Cure: "use the run id as partition key"}
	}
	if d.Direction != DirectionInput || d.RunEvent {
		return nil
	}
	if delivery, ok := e.Data.(*sessionevents.InterruptDelivery); ok && delivery.Interrupt == "" && session == "" {
		return missingField("data.interrupt", "is empty, and so is data.session")
	}
	if session == "" {
		return nil
	}
	if e.Subject != session && e.Subject != run {
		return &invalid.Error{Code: invalid.BadValue, Field: "subject", Problem: fmt.Sprintf("is %q but data.session is %q", e.Subject, session), Cure: "use the session id as subject"}
	}
	return nil
}
