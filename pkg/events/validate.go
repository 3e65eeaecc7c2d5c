package events

import (
	"encoding/json"
	"fmt"
	"time"
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

// Type is a CloudEvents type of the contract. The payload types are constants of the
// packages session and run.
type Type string

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

// Event is one CloudEvents 1.0 envelope (EV-1) with its decoded data.
//
// The pure core works on this type; the codec turns it into the SDK's
// event.Event and into NATS messages at the edges.
type Event struct {
	ID      string    // unique per Source; derived ids follow EV-2
	Source  string    // URI-reference, e.g. "/scaffoldwatch/evaluator"
	Type    Type      // e.g. "turn.raw"
	Subject string    // session or run id
	Time    time.Time // the publisher's time; derived events have their cause's

	DataSchema  string
	CausationID string // id of the event that led to this one
	Correlation string // run id ("correlationid")
	// PartitionKey is the group: the run id where there is one, else the
	// session id (EV-4). Empty on input means Subject.
	PartitionKey string
	TraceParent  string
	RulesVersion string // version of the rule data that a derived event is based on (EV-2)
	ConfigHash   string // hash of the effective configuration (EV-2)
	// Credential is the role under which a run event was sent (EV-10): the one its
	// subject proves, or, offline, the one its actor claims. The source sets it; a
	// publisher's own value is ignored. Empty on other events.
	Credential Role
	// Extensions holds all other CloudEvents extension attributes, kept as received.
	Extensions map[string]string

	// Data is a pointer to the Go type registered for Type, nil if not decoded.
	Data any
	// Raw is the data as received; kept for input events so that fields this
	// version does not know survive forwarding (EV-3). May be nil when Data is set.
	Raw json.RawMessage
}

// Group returns the key that decides the partition: run id or session id (EV-4).
func (e Event) Group() string {
	if e.PartitionKey != "" {
		return e.PartitionKey
	}
	return e.Subject
}

// Limits bound what is accepted from outside (EV-3).
type Limits struct {
	// Data is the maximum size of an event's data as JSON, in bytes.
	Data int
	// Depth is the maximum nesting of objects and arrays in the data.
	Depth int
}

// DefaultLimits are 4 MiB of data and 64 levels (EV-3).
func DefaultLimits() Limits { return Limits{Data: 4 << 20, Depth: 64} }

// orDefault returns the limits with defaults for unset fields.
func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	if l.Data > 0 {
		d.Data = l.Data
	}
	if l.Depth > 0 {
		d.Depth = l.Depth
	}
	return d
}

func (l Limits) check(data []byte) error {
	if len(data) > l.Data {
		return &invalid.Error{
			Code: invalid.TooLarge, Field: "data", Problem: fmt.Sprintf("%d bytes, the limit is %d", len(data), l.Data),
			Cure: "shorten tool output (pkg/client does), or send the turn in parts",
		}
	}
	if d := nesting(data); d > l.Depth {
		return &invalid.Error{Code: invalid.TooDeep, Field: "data", Problem: fmt.Sprintf("nested %d levels deep, the limit is %d", d, l.Depth), Cure: "flatten the data"}
	}
	return nil
}

// nesting returns the deepest nesting of objects and arrays in JSON text; 0 for a bare
// value. It does not validate the text.
func nesting(data []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i) - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}
