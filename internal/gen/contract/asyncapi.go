package contract

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
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

// gateChannel is the request and reply for asking a gate, from any language.
const gateChannel = "gate.request"

// controlChannel is the key-value bucket CONTROL, described as the subjects of its stream.
const controlChannel = "control"

// addRequests adds what is not an event in a stream: requests to gates, and the bucket of control states.
func addRequests(channels, operations, messages object) {
	channels[gateChannel] = object{
		"address": "gate.request.{run}", "parameters": object{"run": ref("parameters", "run")},
		"description": "Request and reply, answered by the micro service scaffoldwatch-gates. The subject gate.request without a run is accepted where the data names it. " +
			"Wait longer than 2 s for the reply. No reply, an error header or no responder means deny.",
		"messages": object{"gate.request": ref("messages", "gate.request"), "gate.reply": ref("messages", "gate.reply")},
	}
	operations["receive.gate.request"] = object{
		"action": "receive", "summary": "Asks a gate; changes nothing.", "channel": object{"$ref": "#/channels/" + gateChannel},
		"messages": []any{object{"$ref": "#/channels/" + gateChannel + "/messages/gate.request"}},
		"reply":    object{"messages": []any{object{"$ref": "#/channels/" + gateChannel + "/messages/gate.reply"}}},
	}
	messages["gate.request"] = object{
		"name": "gate.request", "summary": "The data of gate.requested, with the run.", "contentType": contentTypeJSON,
		"payload": object{"allOf": []any{
			object{"$ref": "../pkg/events/schema/gate.requested.json"},
			object{"type": "object", "properties": object{"run": object{"type": "string"}}},
		}},
	}
	messages["gate.reply"] = object{
		"name": "gate.reply", "summary": "The data of gate.decided. An error is a deny with the headers below.", "contentType": contentTypeJSON,
		"payload": object{"$ref": "../pkg/events/schema/gate.decided.json"},
		"headers": object{"type": "object", "properties": object{
			"Nats-Service-Error":      object{"type": "string"},
			"Nats-Service-Error-Code": object{"enum": []any{"400", "503", "504"}, "description": "400 invalid request, 503 too many pending requests, 504 no answer within 2 s"},
		}},
	}
	channels[controlChannel] = object{
		"address": "$KV.CONTROL.{kind}.{id}",
		"parameters": object{
			"kind": object{"enum": []any{string(run.ScopeRun), string(run.ScopeSession)}, "description": "what the id is of"},
			"id":   ref("parameters", "id"),
		},
		"description": "The key-value bucket CONTROL: the key is run.<id> or session.<id>. A missing or deleted key is unknown, not running. " +
			"The bucket is a projection of control.changed, which proves the state.",
		"messages": object{"control": ref("messages", "control")}, "x-bucket": "CONTROL",
	}
	operations["send.control"] = object{
		"action": "send", "summary": "Whether a run or session may continue.", "channel": object{"$ref": "#/channels/" + controlChannel},
		"messages": []any{object{"$ref": "#/channels/" + controlChannel + "/messages/control"}},
	}
	messages["control"] = object{
		"name": "control", "summary": "Whether a run or session may continue.", "contentType": contentTypeJSON,
		"headers": object{"type": "object", "properties": object{
			"Scaffoldwatch-Decision": object{"type": "string", "description": "creation time and sequence in DECISIONS of the control.changed it is the projection of"},
		}},
		"payload": object{"type": "object", "required": []any{"state"}, "properties": object{
			"state":    object{"type": "string", "enum": states(), "description": "draining: finish the current task, then stop"},
			"break":    object{"type": "string", "description": "id of the wiggum.break that caused it"},
			"who":      object{"type": "string", "description": "who resumed or stopped it"},
			"why":      object{"type": "string"},
			"question": object{"type": "string", "description": "the clarification that a paused run waits for"},
		}},
	}
}

// states returns the values of a control state in the bucket.
func states() []any {
	return []any{string(run.ControlRunning), string(run.ControlPaused), string(run.ControlDraining), string(run.ControlHalted)}
}
