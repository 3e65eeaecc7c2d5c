package codex

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// calls reads a call of any kind. It is more than one only where a script calls
// several tools.
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

// guess names a call whose name was lost, from the shape of its arguments.
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

// custom reads a call whose input is text: a patch, or a script that wraps calls.
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

// wrappedCall finds tools.exec_command({… cmd: "…" …}) and tools.apply_patch("…")
// in the JavaScript that the tool exec runs (since 0.144).
var wrappedCall = pattern.Must("tools\\.(exec_command|shell|apply_patch)\\(\\s*(?:\\{[^\"'`]*?[\"']?(?:cmd|command|input)[\"']?\\s*:\\s*)?(\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`(?:[^`\\\\]|\\\\.)*`)")

// unwrap reads the calls inside a script. All commands make one call, which has
// the script's id and so its result; each patch makes one of its own.
func unwrap(id, script string) []sessionevents.Block {
	var commands []string
	var out []sessionevents.Block
	for _, m := range wrappedCall.FindAllStringSubmatch(script, 100) {
		text := unquote(m[2])
		if m[1] != "apply_patch" {
			commands = append(commands, text)
			continue
		}
		out = append(out, sessionevents.Block{Type: sessionevents.BlockToolCall, Name: "apply_patch", Input: input("input", text)})
	}
	if len(commands) > 0 {
		all := sessionevents.Block{Type: sessionevents.BlockToolCall, Name: "exec_command", Input: input("cmd", strings.Join(commands, "\n"))}
		out = append([]sessionevents.Block{all}, out...)
	}
	for n := range out {
		if out[n].ID = id; n > 0 {
			out[n].ID = id + "#" + strconv.Itoa(n+1)
		}
	}
	return out
}

// unquote reads a JavaScript string literal.
func unquote(literal string) string {
	inside := literal[1 : len(literal)-1]
	var out strings.Builder
	for n := 0; n < len(inside); n++ {
		c := inside[n]
		if c != '\\' || n+1 == len(inside) {
			out.WriteByte(c)
			continue
		}
		n++
		switch inside[n] {
		case 'n':
			out.WriteByte('\n')
		case 't':
			out.WriteByte('\t')
		case 'r':
			out.WriteByte('\r')
		case '\n': // a continued line
		default:
			out.WriteByte(inside[n])
		}
	}
	return out.String()
}
