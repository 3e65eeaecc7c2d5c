package sweagent

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/diff"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// editor is the agent's editor: the open file and the lines of it that were shown last.
type editor struct {
	path  string
	lines map[int]string
}

var (
	header   = pattern.Must(`(?m)^\[File: (.+?)(?: \(\d+ lines total\))?\]\r?$`)
	numbered = pattern.Must(`(?m)^(\d+):(.*)$`)
	block    = pattern.Must(`(?s)^[ \t]*(?:(\d+):(\d+))?[^\n]*\n(.*?)\n?end_of_edit\s*$`)
)

// show reads what the editor shows after an action: the file is the one that it names, not the one in the
// state from before the action.
func (e *editor) show(observation string) (shown bool) {
	m := header.FindStringSubmatchIndex(observation)
	if m == nil {
		return false
	}
	e.path, e.lines = observation[m[2]:m[3]], map[int]string{}
	for _, line := range numbered.FindAllStringSubmatch(observation[m[1]:], -1) {
		if n, err := strconv.Atoi(line[1]); err == nil {
			e.lines[n] = strings.TrimSuffix(line[2], "\r")
		}
	}
	return true
}

// refused reports whether the editor says that it did not apply an edit.
func refused(observation string) bool {
	for _, mark := range []string{"Your proposed edit has introduced new syntax error", "have NOT been applied", "was not applied", "not found in displayed lines", "No edit was performed", "Usage: edit", "Usage: insert", "Error: "} {
		if strings.Contains(observation[:min(len(observation), 400)], mark) {
			return true
		}
	}
	return false
}

// edit parses the four forms of an edit: a range of lines and their new text, new text at the cursor, old
// and new text in quotes, and text to insert.
func (e *editor) edit(name, rest string, input map[string]any) []sessionevents.FilePatch {
	input["path"] = e.path
	hunks := e.ranged(rest, input)
	if hunks == nil {
		hunks = e.quoted(name, rest, input)
	}
	return []sessionevents.FilePatch{{Path: e.path, Op: sessionevents.DiffUpdate, Hunks: hunks}}
}

func (e *editor) ranged(rest string, input map[string]any) []sessionevents.Hunk {
	m := block.FindStringSubmatch(rest)
	if m == nil {
		return nil
	}
	from, _ := strconv.Atoi(m[1])
	to, _ := strconv.Atoi(m[2])
	input["new_str"] = m[3]
	if from > 0 {
		input["start_line"], input["end_line"] = from, to
	}
	hunk := sessionevents.Hunk{OldStart: from, NewStart: from, Lines: e.removed(from, to)}
	for _, text := range strings.Split(m[3], "\n") {
		hunk.Lines = append(hunk.Lines, "+"+text)
	}
	return []sessionevents.Hunk{hunk}
}

// removed returns the lines of a range as the editor showed them, marked, nil if one was not shown.
func (e *editor) removed(from, to int) []string {
	var out []string
	for n := from; n > 0 && n <= to; n++ {
		text, ok := e.lines[n]
		if !ok {
			return nil
		}
		out = append(out, "-"+text)
	}
	return out
}

// quoted parses "edit 'old' 'new' [all]", "edit 'new'" and "insert 'text' [line]".
func (e *editor) quoted(name, rest string, input map[string]any) []sessionevents.Hunk {
	fields := words(rest)
	switch {
	case len(fields) == 0:
		return nil
	case name == "edit" && len(fields) > 1:
		input["old_str"], input["new_str"] = fields[0], fields[1]
		return diff.Replaced(fields[0], fields[1])
	case name == "insert" && len(fields) > 1:
		if line, err := strconv.Atoi(fields[1]); err == nil {
			input["insert_line"] = line
		}
	}
	input["new_str"] = fields[0]
	return diff.Replaced("", fields[0])
}
