package contract

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"

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
