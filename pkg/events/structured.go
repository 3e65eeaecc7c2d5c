package events

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
)

// MarshalStructured returns one structured CloudEvent as JSON on one line, without a line
// end. Attributes come in a fixed order: specversion, id, source, type, subject,
// datacontenttype, dataschema, time, data, then extensions by name.
func MarshalStructured(e Event) ([]byte, error) {
	ce, err := ToCloudEvent(e)
	if err != nil {
		return nil, err
	}
	if len(e.Raw) > 0 && ce.DataEncoded != nil {
		// A publisher's data may contain line ends, or may not be JSON at all.
		var line bytes.Buffer
		if err := json.Compact(&line, ce.DataEncoded); err != nil {
			return nil, &invalid.Error{Code: invalid.BadData, Field: "data", Problem: "not JSON", Err: err}
		}
		ce.DataEncoded = line.Bytes()
	}
	var out bytes.Buffer
	if err := event.WriteJson(&ce, &out); err != nil {
		return nil, fmt.Errorf("encode %s %s as structured JSON: %w", e.Type, e.ID, err)
	}
	return out.Bytes(), nil
}

// UnmarshalStructured reads one structured CloudEvent, for example a line of `scan
// --output jsonl`. On an error the event is returned as far as it could be read.
func UnmarshalStructured(data []byte) (Event, error) {
	data = ValidUTF8(data)
	if !json.Valid(data) {
		return Event{}, &invalid.Error{Code: invalid.NotCloudEvent, Problem: "not one JSON document"}
	}
	var ce event.Event
	if err := event.ReadJson(&ce, bytes.NewReader(data)); err != nil {
		return Event{}, &invalid.Error{Code: invalid.NotCloudEvent, Problem: "not a structured CloudEvent", Err: oneLine{err}}
	}
	if ce.Context == nil || ce.SpecVersion() != event.CloudEventsVersionV1 {
		return Event{}, &invalid.Error{Code: invalid.NotCloudEvent, Field: "specversion", Problem: "not a CloudEvent 1.0", Cure: "send specversion 1.0"}
	}
	return FromCloudEvent(ce)
}
