package codex

import (
	"encoding/json"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxOpen limits the calls that are remembered until their results arrive.
const maxOpen = 1000

// call adds a call, or the calls inside a script.
func (d *decoder) call(i *item) {
	blocks := calls(i)
	for _, b := range blocks {
		d.s.Add(b)
	}
	id := blocks[0].ID
	if len(d.open) >= maxOpen {
		clear(d.open)
		clear(d.scripts)
	}
	d.open[id] = true
	if i.Type == "custom_tool_call" && (i.Name == "exec" || len(blocks) > 1) {
		d.scripts[id], d.script = &script{calls: blocks}, id
	}
}

// calls returns the calls in an item of any kind: several only if a script calls several tools.
func calls(i *item) []sessionevents.Block {
	name := string(i.Name)
	if name == "" && i.Function != nil {
		name = string(i.Function.Name)
	}
	id := string(i.CallID)
	if id == "" {
		id = string(i.ID)
	}
	b := sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: name, Input: loose.Object(i.Arguments)}
	switch i.Type {
	case "custom_tool_call":
		return custom(b, i)
	case "local_shell_call":
		b.Name, b.Input = "shell", loose.Object(i.Action)
	case "web_search_call":
		b.Name, b.Input = "web_search", loose.Object(i.Action)
	case "tool_search_call":
		b.Name = "tool_search"
	case "image_generation_call":
		b.Name = "image_generation"
	}
	if b.Name == "" {
		b.Name = guess(b.Input)
	}
	return []sessionevents.Block{b}
}

// guess returns a name for a call whose name was lost, from the shape of its arguments.
func guess(input json.RawMessage) string {
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(input, &keys)
	switch {
	case keys["cmd"] != nil:
		return "exec_command"
	case keys["session_id"] != nil && keys["chars"] != nil:
		return "write_stdin"
	case keys["command"] != nil:
		return "shell"
	case keys["plan"] != nil:
		return "update_plan"
	}
	return "unknown"
}

// custom parses a call whose input is text: a patch, or a script that wraps calls.
func custom(b sessionevents.Block, i *item) []sessionevents.Block {
	text := loose.Text(i.Input)
	if b.Name == "" && strings.Contains(text, patchMark) {
		b.Name = "apply_patch"
	}
	if b.Name == "exec" || b.Name == "" {
		if wrapped := unwrap(b.ID, text); len(wrapped) > 0 {
			return wrapped
		}
		b.Name = "exec"
	}
	b.Input = input("input", text)
	return []sessionevents.Block{b}
}

const patchMark = "*** Begin Patch"

func input(key, text string) json.RawMessage {
	b, err := json.Marshal(map[string]string{key: text})
	if err != nil {
		return nil
	}
	return b
}
