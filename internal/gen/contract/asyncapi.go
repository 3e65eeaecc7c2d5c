package contract

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

const contentTypeJSON = "application/json"

// Version is the version of the contract: additive changes increase the second number, a breaking change
// gives a type a new suffix instead.
const Version = "1.0.0"

type object = map[string]any

const about = `What agents, orchestrators, infrastructure and people send to scaffoldwatch, and what it sends back.

Every message is a CloudEvents 1.0 event in binary mode (ce-* headers, lower case, read in any case) or in
structured mode (Content-Type application/cloudevents+json). A publisher leaves the partition out of the subject;
the stream INPUT inserts it, so a subscriber of stored events sees turn.raw.<partition>.<group>.<id>. The group is
the run id where there is one, else the session id. An event forwarded into a later stream lies under that stream's
name in lower case, e.g. decisions.turn.evaluated.<partition>.<group>.<id>. x-role names the credential a type needs.

This file is generated; run make golden after a change of pkg/events.
`

// AsyncAPI returns the AsyncAPI 3.0 document of the contract: channels are subjects, messages are types.
func AsyncAPI() ([]byte, error) {
	channels, operations, messages := channels(), operations(), messages()
	addRequests(channels, operations, messages)
	document := object{
		"asyncapi":           "3.0.0",
		"info":               object{"title": "scaffoldwatch", "version": Version, "description": about, "license": object{"name": "Apache-2.0"}},
		"defaultContentType": contentTypeJSON,
		"channels":           channels,
		"operations":         operations,
		"components":         object{"messages": messages, "schemas": object{"envelope": envelopeSchema()}, "parameters": parameters()},
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("write the AsyncAPI document: %w", err)
	}
	return out.Bytes(), nil
}

// streams are those to which a class of subjects can belong, in pipeline order.
var streams = []events.Stream{events.StreamInput, events.StreamSegments, events.StreamSignals, events.StreamDecisions}

func channels() object {
	out := object{}
	for _, stream := range streams {
		for _, class := range subjects.Classes(stream) {
			out[class] = channel(stream, class)
		}
	}
	return out
}

func channel(stream events.Stream, class string) object {
	used := object{"group": ref("parameters", "group"), "id": ref("parameters", "id")}
	address := class + ".{group}.{id}"
	if stream != events.StreamInput {
		address = class + ".{partition}.{group}.{id}"
		used["partition"] = ref("parameters", "partition")
	}
	carried := object{}
	for _, d := range events.All() {
		if d.SubjectClass == class {
			carried[string(d.Type)] = ref("messages", string(d.Type))
		}
	}
	return object{"address": address, "parameters": used, "messages": carried, "x-stream": string(stream)}
}

func operations() object {
	out := object{}
	for _, d := range events.All() {
		action, verb := "send", "send."
		if d.Direction == events.DirectionInput {
			action, verb = "receive", "receive."
		}
		out[verb+string(d.Type)] = object{
			"action": action, "summary": d.Doc,
			"channel":  object{"$ref": "#/channels/" + d.SubjectClass},
			"messages": []any{object{"$ref": "#/channels/" + d.SubjectClass + "/messages/" + string(d.Type)}},
		}
	}
	return out
}

func messages() object {
	out := object{}
	for _, d := range events.All() {
		out[string(d.Type)] = object{
			"name": string(d.Type), "summary": d.Doc, "contentType": contentTypeJSON,
			"headers": ref("schemas", "envelope"),
			"payload": object{"$ref": "../pkg/events/schema/" + string(d.Type) + ".json"},
			"x-role":  string(d.Role), "x-direction": string(d.Direction), "x-printed-by-scan": d.Printed(),
			"x-example": "../pkg/events/testdata/" + string(d.Type) + ".json",
		}
	}
	return out
}

func parameters() object {
	return object{
		"run":       object{"description": "run id; [A-Za-z0-9_-]{1,128}"},
		"group":     object{"description": "run id where there is one, else the session id; [A-Za-z0-9_-]{1,128}"},
		"id":        object{"description": "the event's subject: session or run id; [A-Za-z0-9_-]{1,128}"},
		"partition": object{"description": "FNV-1a 32 of the group modulo the number of partitions"},
	}
}

func envelopeSchema() object {
	text := func(about string) object { return object{"type": "string", "description": about} }
	return object{
		"type": "object", "required": []any{"ce-specversion", "ce-id", "ce-source", "ce-type", "ce-subject"},
		"properties": object{
			"ce-specversion":     object{"const": "1.0"},
			"ce-id":              text("unique per source; derived events: a function of their inputs"),
			"ce-source":          text("URI reference of the sender"),
			"ce-type":            text("one of the message names"),
			"ce-subject":         text("session or run id"),
			"ce-time":            text("RFC 3339 with nanoseconds, UTC"),
			"ce-dataschema":      text("urn:scaffoldwatch:schema:<type>"),
			"ce-datacontenttype": object{"const": contentTypeJSON},
			"ce-causationid":     text("id of the event that led to this one"),
			"ce-correlationid":   text("run id"),
			"ce-partitionkey":    text("the group"),
			"ce-traceparent":     text("W3C trace context"),
			"ce-rulesversion":    text("derived events: version of the rule data"),
			"ce-confighash":      text("derived events: hash of the effective configuration"),
		},
	}
}

func ref(kind, name string) object { return object{"$ref": "#/components/" + kind + "/" + name} }
