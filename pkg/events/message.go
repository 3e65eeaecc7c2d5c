package events

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/types"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
)

// Headers of the NATS binding; written in lower case, read in any case (EV-1).
const (
	headerPrefix          = "ce-"
	headerSpecVersion     = "ce-specversion"
	headerDataContentType = "ce-datacontenttype"
	headerContentType     = "content-type"

	// contentTypeStructured marks a structured-mode message.
	contentTypeStructured = "application/cloudevents+json"
)

// EncodeBinary returns a binary-mode message: attributes in ce-* headers, data as the
// payload. The header can be used as a nats.Header and is never nil.
func EncodeBinary(e Event) (header map[string][]string, data []byte, err error) {
	ce, err := ToCloudEvent(e)
	if err != nil {
		return nil, nil, err
	}
	header = make(map[string][]string, 12)
	set := func(name, value string) { header[headerPrefix+name] = []string{percentEncode(value)} }
	set("specversion", ce.SpecVersion())
	set("id", ce.ID())
	set("source", ce.Source())
	set("type", ce.Type())
	if e.Subject != "" {
		set("subject", e.Subject)
	}
	if e.DataSchema != "" {
		set("dataschema", ce.DataSchema())
	}
	if !e.Time.IsZero() {
		set("time", formatTime(e.Time))
	}
	if ce.DataEncoded != nil {
		set("datacontenttype", ce.DataContentType())
	}
	for name, value := range ce.Extensions() {
		text, err := types.Format(value)
		if err != nil {
			return nil, nil, fmt.Errorf("encode extension %s: %w", name, err)
		}
		set(name, text)
	}
	return header, ce.DataEncoded, nil
}

// EncodeStructured returns a structured-mode message: the whole event as JSON in the
// payload, with its Content-Type header.
func EncodeStructured(e Event) (header map[string][]string, data []byte, err error) {
	data, err = MarshalStructured(e)
	if err != nil {
		return nil, nil, err
	}
	return map[string][]string{headerContentType: {contentTypeStructured}}, data, nil
}

// DecodeMessage reads a message in either mode, with header names in any case
// (EV-1). A structured message requires its Content-Type; use [UnmarshalStructured]
// for one without, as the SDK's core NATS sender writes it.
//
// On an error the event is returned as far as it could be read. A header
// with several different values is refused, since readers could disagree on it.
// The event keeps data, which must not be changed afterwards.
func DecodeMessage(header map[string][]string, data []byte) (Event, error) {
	h, err := foldHeader(header)
	if err != nil {
		return Event{}, err
	}
	media, _, _ := strings.Cut(h[headerContentType], ";")
	switch media = strings.ToLower(strings.TrimSpace(media)); {
	case media == contentTypeStructured:
		return UnmarshalStructured(data)
	case strings.HasPrefix(media, "application/cloudevents"):
		return Event{}, &invalid.Error{Code: invalid.NotCloudEvent, Field: headerContentType, Problem: invalid.Quote(media) + " is not supported", Cure: "send one event a message as " + contentTypeStructured}
	case h[headerSpecVersion] == "":
		return Event{}, &invalid.Error{
			Code: invalid.NotCloudEvent, Problem: "no ce-specversion header and no Content-Type " + contentTypeStructured,
			Cure: "send ce-* headers, or the whole event with that Content-Type",
		}
	}
	return decodeBinary(h, data)
}

// foldHeader returns the relevant headers with lower-case names.
func foldHeader(header map[string][]string) (map[string]string, error) {
	out := make(map[string]string, len(header))
	for name, values := range header {
		lower := strings.ToLower(name)
		if !strings.HasPrefix(lower, headerPrefix) && lower != headerContentType {
			continue
		}
		for _, v := range values {
			if earlier, twice := out[lower]; twice && earlier != v {
				return nil, &invalid.Error{Code: invalid.BadAttribute, Field: lower, Problem: "header given twice with different values", Cure: "send it once"}
			}
			out[lower] = v
		}
	}
	return out, nil
}

func decodeBinary(h map[string]string, data []byte) (Event, error) {
	if v := h[headerSpecVersion]; v != event.CloudEventsVersionV1 {
		return Event{}, &invalid.Error{Code: invalid.NotCloudEvent, Field: headerSpecVersion, Problem: "version " + invalid.Quote(v) + " is not supported", Cure: "send CloudEvents 1.0"}
	}
	ce := event.New(event.CloudEventsVersionV1)
	names := sortedKeys(h)
	for _, name := range names {
		attribute, isAttribute := strings.CutPrefix(name, headerPrefix)
		if isAttribute {
			setAttribute(&ce, attribute, strings.ToValidUTF8(percentDecode(h[name]), "\uFFFD"))
		}
	}
	if !slices.Contains(names, headerDataContentType) && h[headerContentType] != "" {
		ce.SetDataContentType(h[headerContentType])
	}
	ce.DataEncoded = data
	return FromCloudEvent(ce)
}

func setAttribute(ce *event.Event, name, value string) {
	switch name {
	case "specversion":
	case "id":
		ce.SetID(value)
	case "source":
		ce.SetSource(value)
	case "type":
		ce.SetType(value)
	case "subject":
		ce.SetSubject(value)
	case "dataschema":
		ce.SetDataSchema(value)
	case "datacontenttype":
		ce.SetDataContentType(value)
	case "time":
		setTime(ce, value)
	default:
		ce.SetExtension(name, value)
	}
}

// setTime keeps an unreadable time as an error of the event, as the SDK's own
// setters do.
func setTime(ce *event.Event, value string) {
	t, err := types.ParseTime(value)
	if err != nil {
		if ce.FieldErrors == nil {
			ce.FieldErrors = map[string]error{}
		}
		ce.FieldErrors["time"] = err
		return
	}
	ce.SetTime(t)
}

// MessageID identifies an input event: source and id, joined by a space, which
// percent-encoding keeps out of both (EV-2). Do not send it as Nats-Msg-Id: anyone who
// can predict it could make the broker store another message in its place.
func (e Event) MessageID() string { return percentEncode(e.Source) + " " + percentEncode(e.ID) }
