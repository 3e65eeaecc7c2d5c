package sweagent

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// commands are what SWE-agent's shell knows beside the system's commands.
var commands = map[string]bool{
	"open": true, "goto": true, "scroll_up": true, "scroll_down": true, "create": true, "edit": true, "insert": true,
	"search_dir": true, "search_file": true, "find_file": true, "submit": true, "str_replace_editor": true,
}

// action reads an action as a call: the tool's name, its input with the whole
// line as command, and, for an edit that was applied, the edit. File is the one
// that is open in the agent's editor.
func action(line, file, observation string) (string, json.RawMessage, []sessionevents.FilePatch) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if first, _, cut := strings.Cut(name, "\n"); cut {
		name, rest = first, strings.TrimPrefix(strings.TrimSpace(line), first)
	}
	input := map[string]any{"command": line}
	if !commands[name] {
		return "bash", object(input), nil
	}
	var edit []sessionevents.FilePatch
	switch name {
	case "open", "create":
		if fields := words(rest); len(fields) > 0 {
			input["path"] = fields[0]
		}
	case "edit":
		edit = ranged(rest, file, observation, input)
	case "insert", "goto", "scroll_up", "scroll_down":
		input["path"] = file
	case "search_dir", "search_file", "find_file":
		search(rest, input)
	case "str_replace_editor":
		flags(rest, input)
	}
	return name, object(input), edit
}

func object(input map[string]any) json.RawMessage {
	b, err := json.Marshal(input)
	if err != nil {
		return nil
	}
	return b
}

// lines is the range and the text of "edit 3:5\n…\nend_of_edit".
var lines = pattern.Must(`(?s)^\s*(?:(\d+):(\d+))?[ \t]*\n(.*?)\n?end_of_edit\s*$`)

// ranged reads an edit of a range of lines. What was there before is not known.
func ranged(rest, file, observation string, input map[string]any) []sessionevents.FilePatch {
	input["path"] = file
	m := lines.FindStringSubmatch(rest)
	if m == nil {
		return nil
	}
	from, _ := strconv.Atoi(m[1])
	to, _ := strconv.Atoi(m[2])
	input["new_str"] = m[3]
	if from > 0 {
		input["start_line"], input["end_line"] = from, to
	}
	if file == "" || !strings.Contains(observation, "File updated") {
		return nil
	}
	hunk := sessionevents.Hunk{OldStart: from, NewStart: from}
	for _, text := range strings.Split(m[3], "\n") {
		hunk.Lines = append(hunk.Lines, "+"+text)
	}
	return []sessionevents.FilePatch{{Path: file, Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{hunk}}}
}

func search(rest string, input map[string]any) {
	fields := words(rest)
	if len(fields) > 0 {
		input["pattern"] = fields[0]
	}
	if len(fields) > 1 {
		input["path"] = fields[1]
	}
}

// flags reads "view /path --view_range 1 10" into the fields that the tool of
// the same name has as a function.
func flags(rest string, input map[string]any) {
	fields := words(rest)
	if len(fields) < 2 {
		return
	}
	input["command"], input["path"] = fields[0], fields[1]
	for i := 2; i < len(fields); i++ {
		name, isFlag := strings.CutPrefix(fields[i], "--")
		if !isFlag || i+1 >= len(fields) {
			continue
		}
		if i++; name == "view_range" && i+1 < len(fields) {
			from, _ := strconv.Atoi(fields[i])
			to, _ := strconv.Atoi(fields[i+1])
			input[name] = []int{from, to}
			i++
			continue
		}
		input[name] = fields[i]
	}
}
