package events

import (
	"strings"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/types"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
)

// contentTypeJSON is the content type of all data.
const contentTypeJSON = "application/json"

// ToCloudEvent converts an event into the SDK's type (EV-1). Unknown fields of an input
// event's Raw are kept (EV-3). It fails if the SDK's validation does or the data does not
// fit its type.
func ToCloudEvent(e Event) (event.Event, error) {
	data, err := EncodeData(e)
	if err != nil {
		return event.Event{}, err
	}
	out := event.New(event.CloudEventsVersionV1)
	out.SetID(e.ID)
	out.SetSource(e.Source)
	out.SetType(string(e.Type))
	if e.Subject != "" {
		out.SetSubject(e.Subject)
	}
	if e.DataSchema != "" {
		out.SetDataSchema(e.DataSchema)
	}
	if !e.Time.IsZero() {
		out.SetTime(e.Time.UTC())
	}
	if data != nil {
		out.SetDataContentType(contentTypeJSON)
		out.DataEncoded = data
	}
	setExtensions(&out, e)
	if err := out.Validate(); err != nil {
		return event.Event{}, &invalid.Error{Code: invalid.BadAttribute, Field: "envelope", Problem: "not a valid CloudEvent", Err: oneLine{err}}
	}
	return out, nil
}

func setExtensions(out *event.Event, e Event) {
	for _, name := range ownExtensions {
		if v := *extensionField(&e, name); v != "" {
			out.SetExtension(name, v)
		}
	}
	for _, name := range sortedKeys(e.Extensions) {
		out.SetExtension(name, e.Extensions[name])
	}
}

// FromCloudEvent converts the SDK's type into an event. Data is decoded according to the
// type; for an unknown type it stays nil and only Raw is set, for [Validate] to refuse.
// On an error the envelope is returned as far as it could be read, so that a dead letter
// can name it.
func FromCloudEvent(in event.Event) (Event, error) {
	if in.Context == nil {
		return Event{}, &invalid.Error{Code: invalid.NotCloudEvent, Problem: "the event has no context"}
	}
	e := Event{
		ID: in.ID(), Source: in.Source(), Type: Type(in.Type()), Subject: in.Subject(), DataSchema: in.DataSchema(),
	}
	if !in.Time().IsZero() {
		e.Time = in.Time().UTC()
	}
	if err := readEnvelope(&e, in); err != nil {
		e.Raw = ValidUTF8(in.Data())
		return e, err
	}
	return e, decodeInto(&e, in.Data())
}

// readEnvelope reads and checks everything except the event's data.
func readEnvelope(e *Event, in event.Event) error {
	if err := readExtensions(e, in.Extensions()); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return &invalid.Error{Code: invalid.BadAttribute, Field: "envelope", Problem: "not a valid CloudEvent", Err: oneLine{err}}
	}
	if !jsonMedia(in.DataContentType()) {
		return &invalid.Error{Code: invalid.BadAttribute, Field: "datacontenttype", Problem: invalid.Quote(in.DataContentType()) + " is not JSON", Cure: "send " + contentTypeJSON}
	}
	return nil
}

func readExtensions(e *Event, in map[string]any) error {
	for name, value := range in {
		text, err := types.Format(value)
		if err != nil {
			return &invalid.Error{Code: invalid.BadAttribute, Field: name, Problem: "extension has an unusable value", Err: err}
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
		if field := extensionField(e, name); field != nil {
			*field = text
			continue
		}
		if e.Extensions == nil {
			e.Extensions = map[string]string{}
		}
		e.Extensions[name] = text
	}
	return nil
}

// jsonMedia accepts application/json, any +json and an absent content type,
// which means JSON in a structured event.
func jsonMedia(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	return media == "" || media == contentTypeJSON || media == "text/json" || strings.HasSuffix(media, "+json")
}

// formatTime formats a time as RFC 3339 with nanoseconds in UTC (EV-1).
func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// oneLine folds the SDK's multi-line validation errors into one line.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }

func (e oneLine) Unwrap() error { return e.error }
