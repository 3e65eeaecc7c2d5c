package sweagent

import (
	"encoding/json"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// commands are the commands that SWE-agent's shell has in addition to the system's.
var commands = map[string]bool{
	"open": true, "goto": true, "scroll_up": true, "scroll_down": true, "create": true, "edit": true, "insert": true,
	"search_dir": true, "search_file": true, "find_file": true, "submit": true, "str_replace_editor": true,
}

// action parses an action as a call: the tool's name, its input with the whole line as command, and the
// edit that it makes or attempts in file, which is open in the agent's editor.
func action(line string, file *editor) (string, json.RawMessage, []sessionevents.FilePatch) {
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
	case "open":
		if fields := words(rest); len(fields) > 0 {
			input["path"] = fields[0]
		}
	case "create":
		edit = created(rest, file, input)
	case "edit", "insert":
		edit = file.edit(name, rest, input)
	case "goto", "scroll_up", "scroll_down":
		input["path"] = file.path
	case "search_dir", "search_file", "find_file":
		search(rest, input)
	case "str_replace_editor":
		flags(rest, input)
	}
	return name, object(input), edit
}

// created parses "create FILE", which opens the file.
func created(rest string, file *editor, input map[string]any) []sessionevents.FilePatch {
	fields := words(rest)
	if len(fields) == 0 {
		return nil
	}
	input["path"] = fields[0]
	path := fields[0]
	if strings.HasSuffix(file.path, "/"+path) {
		path = file.path
	}
	return []sessionevents.FilePatch{{Path: path, Op: sessionevents.DiffCreate}}
}

func object(input map[string]any) json.RawMessage {
	b, err := json.Marshal(input)
	if err != nil {
		return nil
	}
	return b
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

// flags parses "view /path --view_range 1 10" into the fields of the function with the same name.
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

const maxWords = 16 << 10 // limit for the shell parser, in bytes

// words splits a line as the shell does, without expanding anything. It returns nil if the line is not
// valid shell.
func words(line string) []string {
	if len(line) > maxWords {
		return nil
	}
	var out []string
	for w, err := range syntax.NewParser().WordsSeq(strings.NewReader(line)) {
		if err != nil {
			return nil
		}
		var text strings.Builder
		write(&text, w.Parts, false)
		out = append(out, text.String())
	}
	return out
}

// write adds the text of a word's parts; an expansion stays as written.
func write(out *strings.Builder, parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			out.WriteString(unescape(p.Value, quoted))
		case *syntax.SglQuoted:
			out.WriteString(p.Value)
		case *syntax.DblQuoted:
			write(out, p.Parts, true)
		default:
			_ = syntax.NewPrinter().Print(out, part) // a builder does not fail
		}
	}
}

// unescape removes backslashes: all of them outside quotes, in double quotes only those before a special
// character.
func unescape(s string, quoted bool) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("\"\\$`", s[i+1]) >= 0) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
