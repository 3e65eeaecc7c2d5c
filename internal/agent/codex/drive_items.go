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

// fileChange is the change of one file in an edit.
type fileChange struct {
	Path loose.String `json:"path"`
	Kind kind         `json:"kind"`
	Diff loose.String `json:"diff"` // the content of a file that is added or deleted
}

// kind is what happens to a file: an object, or a word in older versions.
type kind struct {
	Type string // add, delete, update
	Move string
}

// UnmarshalJSON parses either form; any other leaves it empty.
func (k *kind) UnmarshalJSON(b []byte) error {
	var o struct {
		Type loose.String `json:"type"`
		Move loose.String `json:"move_path"`
	}
	if json.Unmarshal(b, &o) == nil {
		k.Type, k.Move = string(o.Type), string(o.Move)
		return nil
	}
	_ = json.Unmarshal(b, &k.Type)
	return nil
}

func (i *threadItem) changes() []fileChange {
	var list []fileChange
	if json.Unmarshal(i.Changes, &list) != nil {
		return nil
	}
	return list
}

// patchText returns the edit as the text of the tool's input. The protocol sends unified diffs; the hunks
// are the same.
func patchText(list []fileChange) string {
	var out strings.Builder
	out.WriteString("*** Begin Patch\n")
	for _, c := range list {
		switch c.Kind.Type {
		case "add":
			out.WriteString("*** Add File: " + string(c.Path) + "\n" + prefixed(string(c.Diff)))
		case "delete":
			out.WriteString("*** Delete File: " + string(c.Path) + "\n")
		default:
			out.WriteString("*** Update File: " + string(c.Path) + "\n")
			if c.Kind.Move != "" {
				out.WriteString("*** Move to: " + c.Kind.Move + "\n")
			}
			out.WriteString(hunks(string(c.Diff)))
		}
	}
	out.WriteString("*** End Patch")
	return out.String()
}

// prefixed marks each line of a new file as added.
func prefixed(content string) string {
	if content == "" {
		return ""
	}
	return "+" + strings.ReplaceAll(strings.TrimSuffix(content, "\n"), "\n", "\n+") + "\n"
}

// hunks returns a unified diff without its file header.
func hunks(diff string) string {
	at := strings.Index(diff, "@@")
	if at < 0 {
		return ""
	}
	return strings.TrimSuffix(diff[at:], "\n") + "\n"
}

// rollout returns the edit in the form of patch_apply_end.
func rollout(list []fileChange) map[string]object {
	out := map[string]object{}
	for _, c := range list {
		o := object{"type": c.Kind.Type, "content": c.Diff}
		if c.Kind.Type != "add" && c.Kind.Type != "delete" {
			o = object{"type": "update", "unified_diff": c.Diff, "move_path": c.Kind.Move}
		}
		out[string(c.Path)] = o
	}
	return out
}
