package scenario

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Blocks builds the blocks of one turn from statements.
type Blocks struct {
	List  []sessionevents.Block
	calls int
}

// statement adds one statement's blocks; text is the text indented below it.
func (p *Blocks) statement(verb, rest, text string) error {
	switch verb {
	case "#":
	case "user":
		p.Say(sessionevents.BlockUser, rest, text)
	case "plan":
		p.Say(sessionevents.BlockText, rest, text)
	case "think":
		p.Say(sessionevents.BlockThinking, rest, text)
	case "read":
		return p.read(rest, text)
	case "search":
		pattern, where, _ := strings.Cut(rest, " in ")
		p.Call("Grep", Arguments{"pattern": strings.Trim(pattern, `"`), "path": where}, text)
	case "fetch":
		p.Call("WebFetch", Arguments{"url": rest}, text)
	case "shell":
		p.Call("Bash", Arguments{"command": rest}, text)
	case "write":
		p.Call("Write", Arguments{"file_path": rest, "content": text + "\n"}, "File created successfully at: "+rest)
	case "edit":
		before, after := sides(text)
		p.Call("Edit", Arguments{"file_path": rest, "old_string": before, "new_string": after}, "The file "+rest+" has been updated.")
	case "call":
		return p.other(rest, text)
	case "exit", "failed", "rejected":
		return p.mark(verb, rest)
	default:
		return fmt.Errorf("unknown statement %q", verb)
	}
	return nil
}

// Arguments are the named arguments of a tool call.
type Arguments map[string]any

// Say adds a message of a person or the agent.
func (p *Blocks) Say(kind sessionevents.BlockType, first, more string) {
	p.List = append(p.List, sessionevents.Block{Type: kind, Text: strings.TrimSpace(first + "\n" + more)})
}

// Call adds a tool call and its result.
func (p *Blocks) Call(name string, input Arguments, output string) {
	data, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings and whole numbers always encode
	}
	p.raw(name, data, output)
}

func (p *Blocks) raw(name string, input json.RawMessage, output string) {
	p.calls++
	id := "call-" + strconv.Itoa(p.calls)
	p.List = append(p.List,
		sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: name, Input: input},
		sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: output})
}

// read parses "path" or "path from-to" (lines from 1).
func (p *Blocks) read(rest, output string) error {
	path, span, ranged := strings.Cut(rest, " ")
	input := Arguments{"file_path": path}
	if ranged {
		var from, to int
		if _, err := fmt.Sscanf(span, "%d-%d", &from, &to); err != nil || from < 1 || to < from {
			return fmt.Errorf("read %s: want lines such as 10-40, got %q", path, span)
		}
		input["offset"], input["limit"] = from, to-from+1
	}
	p.Call("Read", input, output)
	return nil
}

func (p *Blocks) other(rest, output string) error {
	name, input, _ := strings.Cut(rest, " ")
	if !json.Valid([]byte(input)) {
		return fmt.Errorf("call %s: input is not JSON: %s", name, input)
	}
	p.raw(name, json.RawMessage(input), output)
	return nil
}

// mark sets how the previous call ended.
func (p *Blocks) mark(verb, rest string) error {
	if len(p.List) == 0 || p.List[len(p.List)-1].Type != sessionevents.BlockToolResult {
		return fmt.Errorf("%s: requires a call before it", verb)
	}
	result, yes := &p.List[len(p.List)-1], true
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

// sides splits hunk lines into the text before and after the edit.
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

// statements reads the lines of a turn; text is indented below its statement.
func (p *Blocks) statements(body string, firstLine int) error {
	lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
	for i := 0; i < len(lines); {
		start := i
		verb, rest, _ := strings.Cut(lines[i], " ")
		var indented []string
		for i++; i < len(lines) && (strings.HasPrefix(lines[i], "  ") || lines[i] == ""); i++ {
			indented = append(indented, strings.TrimPrefix(lines[i], "  "))
		}
		if verb == "" {
			continue
		}
		if err := p.statement(verb, rest, strings.TrimRight(strings.Join(indented, "\n"), "\n")); err != nil {
			return fmt.Errorf("line %d: %w", firstLine+start, err)
		}
	}
	return nil
}
