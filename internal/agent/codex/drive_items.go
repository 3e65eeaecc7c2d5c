package codex

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
)

// threadItem holds the fields of an item of any type. Members differ between versions; one of an unexpected
// type is left empty.
type threadItem struct {
	Type      loose.String    `json:"type"`
	ID        loose.String    `json:"id"`
	Text      loose.String    `json:"text"`
	Content   loose.Parts     `json:"content"`
	Summary   loose.Parts     `json:"summary"`
	Status    loose.String    `json:"status"`
	Command   loose.String    `json:"command"`
	CWD       loose.String    `json:"cwd"`
	Output    loose.String    `json:"aggregatedOutput"`
	ExitCode  *loose.Int      `json:"exitCode"`
	Changes   json.RawMessage `json:"changes"`
	Server    loose.String    `json:"server"`
	Tool      loose.String    `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
	Action    json.RawMessage `json:"action"`
	Query     loose.String    `json:"query"`
	Prompt    loose.String    `json:"prompt"`
}

// object is a JSON object in the making.
type object map[string]any

// rolloutLine returns a line of a rollout file.
func rolloutLine(kind string, payload object) json.RawMessage {
	data, err := json.Marshal(object{"type": kind, "payload": payload})
	if err != nil {
		return json.RawMessage("{}") // cannot happen: the parts were decoded from JSON
	}
	return data
}

func responseItem(kind string, payload object) json.RawMessage {
	payload["type"] = kind
	return rolloutLine("response_item", payload)
}

func event(kind string, payload object) json.RawMessage {
	if payload == nil {
		payload = object{}
	}
	payload["type"] = kind
	return rolloutLine("event_msg", payload)
}

func meta(t *threadInfo) json.RawMessage {
	payload := object{"id": t.ID, "cwd": t.CWD, "model": t.Model}
	if t.Parent != "" {
		payload["source"] = object{"subagent": object{"thread_spawn": object{"parent_thread_id": t.Parent, "agent_role": t.Role}}}
	}
	return rolloutLine("session_meta", payload)
}

// record returns the token count of a response.
func (t *tokens) record() json.RawMessage {
	return event("token_count", object{"info": object{"last_token_usage": object{
		"input_tokens": t.Input, "cached_input_tokens": t.Cached, "cache_write_input_tokens": t.CacheWrite, "output_tokens": t.Output,
	}}})
}

type planStep struct {
	Step   string `json:"step"`
	Status string `json:"status"`
}

// plan returns a call of the plan tool, which the protocol does not report as an item.
func (t *thread) plan(turn string, steps []planStep) []json.RawMessage {
	for i := range steps {
		if steps[i].Status == "inProgress" {
			steps[i].Status = "in_progress"
		}
	}
	t.plans++
	id := fmt.Sprintf("plan-%s-%d", turn, t.plans)
	arguments, err := json.Marshal(object{"plan": steps})
	if err != nil {
		return nil
	}
	t.held = append(t.held, responseItem("function_call_output", object{"call_id": id, "output": "Plan updated"}))
	return []json.RawMessage{responseItem("function_call", object{"name": "update_plan", "call_id": id, "arguments": string(arguments)})}
}

// records returns the lines that a rollout file would have for the item: a call when it begins; its result
// is held until the response is complete, since calls may run concurrently. A call whose beginning was not
// reported is added when it is done.
func (t *thread) records(i *threadItem, completed bool) []json.RawMessage {
	if said := i.message(); said != nil {
		if completed {
			return []json.RawMessage{said}
		}
		return nil
	}
	call := i.call()
	if call == nil {
		return nil
	}
	id, known := string(i.ID), t.running[string(i.ID)]
	t.running[id] = true
	if completed {
		delete(t.running, id)
		t.held, t.ran = append(t.held, i.outcome()...), true
	}
	if known {
		return nil
	}
	return []json.RawMessage{call}
}

// release returns the results that were held.
func (t *thread) release() []json.RawMessage {
	held := t.held
	t.held, t.ran = nil, false
	return held
}

// message returns an item that is not a call, nil if it is one.
func (i *threadItem) message() json.RawMessage {
	switch i.Type {
	case "userMessage":
		return responseItem("message", object{"role": "user", "content": []object{{"type": "input_text", "text": i.Content.Text()}}})
	case "agentMessage", "plan":
		return responseItem("message", object{"role": "assistant", "content": []object{{"type": "output_text", "text": i.Text}}})
	case "reasoning":
		text := i.Summary.Text()
		if text == "" {
			text = i.Content.Text()
		}
		return responseItem("reasoning", object{"summary": []object{{"type": "summary_text", "text": text}}})
	case "contextCompaction":
		return rolloutLine("compacted", object{})
	}
	return nil
}

// call returns the beginning of a tool's item, nil for other items.
func (i *threadItem) call() json.RawMessage {
	switch i.Type {
	case "commandExecution":
		return i.function("exec_command", object{"cmd": i.Command, "workdir": i.CWD})
	case "fileChange":
		return responseItem("custom_tool_call", object{"name": "apply_patch", "call_id": i.ID, "input": patchText(i.changes())})
	case "mcpToolCall":
		return i.function("mcp__"+string(i.Server)+"__"+string(i.Tool), i.Arguments)
	case "dynamicToolCall":
		return i.function(string(i.Tool), i.Arguments)
	case "collabToolCall", "collabAgentToolCall":
		return i.function(string(i.Tool), object{"prompt": i.Prompt})
	case "webSearch":
		return i.function("web_search", object{"query": i.Query, "action": i.Action})
	}
	return nil
}

func (i *threadItem) function(name string, arguments any) json.RawMessage {
	data, err := json.Marshal(arguments)
	if err != nil {
		data = []byte("{}")
	}
	return responseItem("function_call", object{"name": name, "call_id": i.ID, "arguments": string(data)})
}

// outcome returns the result of a call and, for an edit, its changes.
func (i *threadItem) outcome() []json.RawMessage {
	text := i.result()
	if i.ExitCode != nil {
		data, err := json.Marshal(object{"output": text, "metadata": object{"exit_code": *i.ExitCode}})
		if err == nil {
			text = string(data)
		}
	}
	out := []json.RawMessage{responseItem("function_call_output", object{"call_id": i.ID, "output": text})}
	if i.Type == "fileChange" && i.Status != "declined" {
		out = append(out, event("patch_apply_end", object{"call_id": i.ID, "success": i.Status == "completed", "changes": rollout(i.changes())}))
	}
	return out
}

func (i *threadItem) result() string {
	switch {
	case i.Status == "declined":
		return "rejected by user"
	case len(i.Error) > 0 && string(i.Error) != "null":
		return "execution error: " + loose.Text(i.Error)
	case i.Output != "":
		return string(i.Output)
	}
	return strings.TrimSpace(loose.Text(i.Result))
}
