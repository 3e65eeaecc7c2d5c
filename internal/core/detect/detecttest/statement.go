package detecttest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// statement adds one statement's blocks; text is what was indented below it.
func (p *turnParser) statement(verb, rest, text string) error {
	switch verb {
	case "#":
	case "user":
		p.say(events.BlockUser, rest, text)
	case "plan":
		p.say(events.BlockText, rest, text)
	case "think":
		p.say(events.BlockThinking, rest, text)
	case "read":
		return p.read(rest, text)
	case "search":
		pattern, where, _ := strings.Cut(rest, " in ")
		p.call("Grep", arguments{"pattern": strings.Trim(pattern, `"`), "path": where}, text)
	case "fetch":
		p.call("WebFetch", arguments{"url": rest}, text)
	case "shell":
		p.call("Bash", arguments{"command": rest}, text)
	case "write":
		p.call("Write", arguments{"file_path": rest, "content": text + "\n"}, "File created successfully at: "+rest)
	case "edit":
		before, after := sides(text)
		p.call("Edit", arguments{"file_path": rest, "old_string": before, "new_string": after}, "The file "+rest+" has been updated.")
	case "call":
		return p.other(rest, text)
	case "exit", "failed", "rejected":
		return p.mark(verb, rest)
	default:
		return fmt.Errorf("unknown statement %q", verb)
	}
	return nil
}

type arguments map[string]any

func (p *turnParser) say(kind events.BlockType, first, more string) {
	p.blocks = append(p.blocks, events.Block{Type: kind, Text: strings.TrimSpace(first + "\n" + more)})
}

func (p *turnParser) call(name string, input arguments, output string) {
	data, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings and whole numbers always encode
	}
	p.raw(name, data, output)
}

func (p *turnParser) raw(name string, input json.RawMessage, output string) {
	p.calls++
	id := "call-" + strconv.Itoa(p.calls)
	p.blocks = append(p.blocks,
		events.Block{Type: events.BlockToolCall, ID: id, Name: name, Input: input},
		events.Block{Type: events.BlockToolResult, ID: id, Output: output})
}

// read takes "path" or "path from-to" (lines from 1).
func (p *turnParser) read(rest, output string) error {
	path, span, ranged := strings.Cut(rest, " ")
	input := arguments{"file_path": path}
	if ranged {
		var from, to int
		if _, err := fmt.Sscanf(span, "%d-%d", &from, &to); err != nil || from < 1 || to < from {
			return fmt.Errorf("read %s: want lines such as 10-40, got %q", path, span)
		}
		input["offset"], input["limit"] = from, to-from+1
	}
	p.call("Read", input, output)
	return nil
}

func (p *turnParser) other(rest, output string) error {
	name, input, _ := strings.Cut(rest, " ")
	if !json.Valid([]byte(input)) {
		return fmt.Errorf("call %s: input is not JSON: %s", name, input)
	}
	p.raw(name, json.RawMessage(input), output)
	return nil
}

// mark says how the call before ended.
func (p *turnParser) mark(verb, rest string) error {
	if len(p.blocks) == 0 || p.blocks[len(p.blocks)-1].Type != events.BlockToolResult {
		return fmt.Errorf("%s: no call stands before it", verb)
	}
	result, yes := &p.blocks[len(p.blocks)-1], true
	switch verb {
	case "exit":
		code, err := strconv.Atoi(rest)
		if err != nil {
			return fmt.Errorf("exit: want a number, got %q", rest)
		}
		result.ExitCode = &code
	case "failed":
		result.IsError = &yes
	case "rejected":
		result.IsError, result.Rejected = &yes, true
	}
	return nil
}

// sides turns hunk lines into the text before and after the edit.
func sides(hunk string) (before, after string) {
	var old, changed []string
	for _, line := range strings.Split(hunk, "\n") {
		mark, rest := " ", ""
		if line != "" {
			mark, rest = line[:1], line[1:]
		}
		if mark != "+" {
			old = append(old, rest)
		}
		if mark != "-" {
			changed = append(changed, rest)
		}
	}
	return strings.Join(old, "\n"), strings.Join(changed, "\n")
}
