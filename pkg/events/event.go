package events

import (
	"encoding/json"
	"time"
)

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
