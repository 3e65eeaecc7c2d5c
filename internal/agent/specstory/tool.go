package specstory

import (
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/patch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var (
	shells = map[string]bool{
		"bash": true, "sh": true, "shell": true, "zsh": true, "powershell": true,
		"cmd": true, "console": true,
	}
	runs = map[string]bool{
		"bash": true, "shell": true, "shell_command": true, "exec_command": true, "local_shell": true,
		"run_shell_command": true, "run_terminal_cmd": true,
		"run_terminal_command_v2": true, "command": true, "execute": true, "exec_shell": true,
		"run_command": true, "run_in_terminal": true,
	}
	// Tools shown as shells, and those that are not.
	lists = map[string]bool{
		"ls": true, "list_directory": true, "list_dir": true, "taskoutput": true,
		"killshell": true, "bashoutput": true,
	}

	inline    = pattern.Must("(?m)^ ?`([^`\n]+|[^\n]*[^`\n])`\\s*$")
	anyInline = pattern.Must("`([^`\n]+)`")
	runCmd    = pattern.Must(`Run command: (.+)$`)
	bullet    = pattern.Must("(?ms)^- ([\\w.]+): `(.*?)`$")
	bulletBig = pattern.Must("(?m)^- ([\\w.]+):[ \t]*\n\n?```")
	labelled  = pattern.Must(`^(?:\*\*)?(Result|Output|Error|Input)s?(?:\*\*)?:(?:\*\*)?\s*(.*)$`)
	pathLine  = pattern.Must("(?m)^(?:\\*\\*)?(?:Path|File):?(?:\\*\\*)?:? `?([^`\n]+?)`?$")
	named     = pattern.Must(`(?:Edit file|Read file|Write file|Delete file|Create file): (\S.*?)(?:\s+•.*)?$`)
	written   = pattern.Must(`(?:The file|File created successfully at:|Updated file|Created file) (\S+?)(?: ` +
		`has been|\.?\s|$)`)
	directory = pattern.Must("(?m)^Directory: `([^`\n]+)`")
	patched   = pattern.Must("(?m)^\\*\\*(Add|Update|Modify|Delete): `([^`\n]+)`\\*\\*\\s*$")
	ticked    = pattern.Must(`(?m)^- \[(.)\]\s+(?:[^\w\s]{1,6}\s+)?(\S.*)$`)
	exited    = []string{"exited with code", "Exit code:", "Exit Code:", "exit code:", "Command failed with exit code"}
)

// part is a fenced block in a body.
type part struct {
	lang, text, label string
	at                int
}

// fenced returns the fenced blocks of a text, each with the label before it.
func fenced(text string) (list []part) {
	fence, at, said := "", 0, ""
	for _, line := range strings.SplitAfter(text, "\n") {
		trimmed := strings.TrimRight(line, "\r\n")
		switch {
		case fence != "" && closes(trimmed, fence):
			fence = ""
		case fence != "":
			list[len(list)-1].text += line
		default:
			if fence = opens(trimmed); fence != "" {
				lang := strings.TrimSpace(strings.TrimLeft(strings.TrimLeft(trimmed, " "), fence[:1]))
				list = append(list, part{lang: strings.ToLower(lang), label: said, at: at})
				said = ""
			} else if m := labelled.FindStringSubmatch(strings.TrimSpace(trimmed)); m != nil {
				said = m[1]
			}
		}
		at += len(line)
	}
	for i := range list {
		list[i].text = strings.TrimSuffix(list[i].text, "\n")
	}
	return list
}

// unfenced returns a text without its fenced blocks.
func unfenced(text string) string {
	fence := ""
	var out strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		trimmed := strings.TrimRight(line, "\r\n")
		switch {
		case fence != "":
			if closes(trimmed, fence) {
				fence = ""
			}
		default:
			if fence = opens(trimmed); fence == "" {
				out.WriteString(line)
			}
		}
	}
	return out.String()
}

func label(line string) bool { return labelled.MatchString(line) }

// call is a parsed block.
type call struct {
	*block
	parts  []part
	prose  string // the body without fenced blocks
	input  map[string]any
	output *string
	patch  []sessionevents.FilePatch
	failed bool
	out    int // index of the fenced block with the result, -1 if there is none
}

// tool adds a call and its result.
func (d *decoder) tool(b *block) {
	c := &call{block: b, parts: fenced(b.body), prose: unfenced(b.body), input: map[string]any{}, out: -1}
	if rest := strings.TrimSpace(strings.TrimPrefix(b.summary, "Tool use:")); rest != b.summary {
		if _, after, named := strings.Cut(strings.TrimPrefix(rest, "**"), "**"); named {
			rest = after
		}
		b.summary = strings.Trim(rest, " •")
	}
	d.calls++
	d.waits = ""
	id := "call-" + strconv.Itoa(d.calls)
	c.results()
	d.arguments(c)
	d.acted = true
	block := sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: b.name}
	if len(c.input) > 0 {
		if data, err := json.Marshal(c.input); err == nil {
			block.Input = data
		}
	}
	d.s.Add(block)
	d.result(c, id)
}

// results finds the result: the text with its label, or the last fenced block of text.
func (c *call) results() {
	for i := range c.parts {
		if p := &c.parts[i]; p.label == "Result" || p.label == "Output" || p.label == "Error" {
			c.output, c.out, c.failed = &p.text, i, p.label == "Error"
			return
		}
	}
	for _, line := range strings.Split(c.prose, "\n") {
		if m := labelled.FindStringSubmatch(strings.TrimSpace(line)); m != nil && m[1] != "Input" && m[2] != "" {
			text := strings.TrimSpace(m[2])
			c.output, c.failed = &text, m[1] == "Error" || strings.HasPrefix(text, "Error: ")
			return
		}
	}
	last := len(c.parts) - 1
	if last < 0 {
		return
	}
	p := &c.parts[last]
	plain := p.lang == "" && p.label != "Input" && (last > 0 || c.inlined() != "")
	if p.lang == "text" || c.kind == "read" && p.lang != "diff" || plain {
		c.output, c.out = &p.text, last
	}
}

// inlined returns the first line that consists only of code.
func (c *call) inlined() string {
	if m := inline.FindStringSubmatch(c.prose); m != nil {
		return m[1]
	}
	return ""
}

func (d *decoder) arguments(c *call) {
	name := strings.ToLower(c.name)
	c.listed()
	switch {
	case runs[name] || c.kind == "shell" && !lists[name]:
		if command := c.command(); command != "" {
			c.input = map[string]any{"command": command}
			if m := directory.FindStringSubmatch(c.prose); m != nil {
				c.input["workdir"] = m[1]
			}
		} else if c.undone() == "" && c.input["command"] == nil && c.input["cmd"] == nil {
			d.s.Unsupported(sessionevents.UnsupportedCall, c.name)
		}
	case name == "apply_patch":
		c.applied()
	case len(ticked.FindAllStringIndex(c.prose, 1)) > 0 && (c.kind == "task" || strings.Contains(name,
		"todo") || strings.Contains(name, "plan")):
		c.todos()
	case c.kind == "write" || strings.Contains(name, "edit") || strings.Contains(name,
		"write") || strings.Contains(name, "replace") || strings.Contains(name, "patch"):
		d.written(c)
	default:
		c.named()
	}
}

// command returns what a shell ran: in the summary, on a line of its own, in a fenced block, or among the
// arguments.
func (c *call) command() string {
	for _, p := range c.parts {
		if shells[p.lang] && p.label != "Result" && p.label != "Output" {
			return p.text
		}
	}
	if m := anyInline.FindStringSubmatch(c.summary); m != nil && strings.HasPrefix(c.summary, "`") {
		return strings.Trim(c.summary, "`")
	}
	before, _, _ := strings.Cut(c.body, "```")
	if m := inline.FindStringSubmatch(before); m != nil {
		return shellWords(m[1])
	}
	if m := runCmd.FindStringSubmatch(c.summary); m != nil {
		return m[1]
	}
	for _, key := range []string{"command", "cmd"} {
		if text, is := c.input[key].(string); is {
			return shellWords(text)
		}
	}
	return ""
}

// shellWords returns the command in a list of words as Go prints one: "[bash -lc make test]".
func shellWords(text string) string {
	if inner, is := strings.CutPrefix(text, "["); is {
		text = strings.TrimSuffix(inner, "]")
	}
	for _, shell := range []string{"bash -lc ", "sh -c ", "bash -c ", "zsh -lc "} {
		text = strings.TrimPrefix(text, shell)
	}
	return text
}

const cancelled = "Cancelled"

// undone returns why a call was not made, "" if it was.
func (c *call) undone() string {
	if c.status == "rejected" || c.status == "aborted" {
		return cancelled
	}
	return undone(c.prose)
}

// undone returns text if it says that a call was not made or had no result, otherwise "".
func undone(text string) string {
	text = strings.TrimSpace(text)
	for _, says := range []string{cancelled, "Error calling tool", "Tool call timed out"} {
		if strings.HasPrefix(text, says) && len(text) < 200 {
			return text
		}
	}
	return ""
}

// listed parses arguments that are written out: a list, or JSON.
func (c *call) listed() {
	for _, p := range c.parts {
		if p.label == "Input" && (p.lang == "json" || strings.HasPrefix(p.text, "{")) {
			_ = json.Unmarshal([]byte(p.text), &c.input)
		}
	}
	before, _, _ := strings.Cut(c.body, "**Result")
	if !strings.Contains(before, "**Input:**") {
		return
	}
	for _, m := range bullet.FindAllStringSubmatch(before, 64) {
		c.input[m[1]] = m[2]
	}
	for _, m := range bulletBig.FindAllStringSubmatchIndex(before, 64) {
		for _, p := range c.parts {
			if p.at >= m[3] && p.at < m[1] {
				c.input[before[m[2]:m[3]]] = p.text
			}
		}
	}
}

// applied reconstructs a patch as the tool received it.
func (c *call) applied() {
	ops := map[string]string{"Add": "Add", "Update": "Update", "Modify": "Update", "Delete": "Delete"}
	var out strings.Builder
	next := 0
	for _, m := range patched.FindAllStringSubmatchIndex(c.body, 500) {
		fmt.Fprintf(&out, "*** %s File: %s\n", ops[c.body[m[2]:m[3]]], c.body[m[4]:m[5]])
		for ; next < len(c.parts) && c.parts[next].at < m[1]; next++ {
		}
		if c.body[m[2]:m[3]] != "Delete" && next < len(c.parts) && c.parts[next].lang == "diff" {
			out.WriteString(c.parts[next].text + "\n")
		}
	}
	if out.Len() > 0 {
		c.input = map[string]any{"input": "*** Begin Patch\n" + out.String() + "*** End Patch"}
	}
}

func (c *call) todos() {
	status := map[string]string{
		"x": "completed", "X": "completed", "⚡": "in_progress", "-": "in_progress",
		"!": "cancelled",
	}
	var items []map[string]string
	for _, m := range ticked.FindAllStringSubmatch(c.prose, 200) {
		s := status[m[1]]
		if s == "" {
			s = "pending"
		}
		items = append(items, map[string]string{"content": strings.TrimSpace(m[2]), "status": s})
	}
	c.input = map[string]any{"todos": items}
}

// written parses an edit: its file, and the content or the difference if shown.
func (d *decoder) written(c *call) {
	file := c.file()
	if file == "" && c.output != nil {
		if m := written.FindStringSubmatch(*c.output); m != nil {
			file = m[1]
		}
	}
	if file == "" {
		file = d.path
	}
	d.path = file
	if file == "" {
		return
	}
	c.input["file_path"] = file
	for i := range c.parts {
		p := &c.parts[i]
		switch {
		case i == c.out || p.label == "Input":
		case p.lang == "diff":
			if hunks := patch.Hunks(p.text); len(hunks) > 0 {
				c.patch = append(c.patch, sessionevents.FilePatch{
					Path: file, Op: sessionevents.DiffUpdate,
					Hunks: hunks,
				})
			} else {
				c.input["old_string"], c.input["new_string"] = sides(p.text)
			}
		case strings.Contains(strings.ToLower(c.name), "write"), strings.Contains(strings.ToLower(c.name), "create"):
			c.input["content"] = p.text
		}
	}
	if len(c.patch) > 1 { // chunks of one file
		for _, more := range c.patch[1:] {
			c.patch[0].Hunks = append(c.patch[0].Hunks, more.Hunks...)
		}
		c.patch = c.patch[:1]
	}
}

// sides returns what a difference without line numbers removes and adds.
func sides(diff string) (before, after string) {
	var old, now []string
	for _, line := range strings.Split(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "-"):
			old = append(old, line[1:])
		case strings.HasPrefix(line, "+"):
			now = append(now, line[1:])
		default:
			old, now = append(old, strings.TrimPrefix(line, " ")), append(now, strings.TrimPrefix(line, " "))
		}
	}
	before, after = strings.Join(old, "\n"), strings.Join(now, "\n")
	if before == after { // not a difference: the resulting text
		before = ""
	}
	return before, after
}

// file returns the file that a block names.
func (c *call) file() string {
	if m := named.FindStringSubmatch(c.summary); m != nil && m[1] != "undefined" {
		return m[1]
	}
	for _, line := range strings.Split(c.prose, "\n") {
		if m := reads.FindStringSubmatch(strings.TrimSpace(line)); m != nil && m[1] != "undefined" {
			return m[1]
		}
	}
	for _, text := range []string{c.summary, c.prose} {
		if m := pathLine.FindStringSubmatch(text); m != nil {
			return m[1]
		}
		if m := anyInline.FindStringSubmatch(text); m != nil && (strings.Contains(m[1], "/") || path.Ext(m[1]) != "") {
			return m[1]
		}
	}
	return ""
}

// named parses the object of a search or a read.
func (c *call) named() {
	if len(c.input) > 0 {
		return
	}
	before, _, _ := strings.Cut(c.body, "```")
	for _, text := range []string{c.summary, strings.TrimSpace(before)} {
		for _, key := range []string{"pattern", "path", "include"} {
			if _, rest, has := strings.Cut(text, key+" `"); has {
				c.input[key], _, _ = strings.Cut(rest, "`")
			}
		}
		if _, rest, has := strings.Cut(text, ` "`); has && c.kind != "read" {
			c.input["query"], _, _ = strings.Cut(rest, `"`)
		}
	}
	if len(c.input) > 0 {
		return
	}
	search := c.kind == "search" || strings.Contains(strings.ToLower(c.name),
		"search") || strings.EqualFold(c.name, "glob")
	if m := anyInline.FindStringSubmatch(c.summary); search && m != nil {
		c.input["pattern"] = m[1]
	} else if file := c.file(); file != "" {
		c.input["file_path"] = file
	}
}

// result adds the result of a call, as far as the export shows it.
func (d *decoder) result(c *call, id string) {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Patch: c.patch}
	switch {
	case c.output != nil:
		b.Output = *c.output
	case c.undone() != "":
		b.Output, b.Rejected = c.undone(), strings.HasPrefix(c.undone(), cancelled)
		c.failed = !b.Rejected
	case len(c.patch) == 0 && !(c.kind == "write" && len(c.input) > 0):
		d.waits = id // the export omits it, or shows it after a rule
		return
	}
	b.Output, b.ExitCode = outcome.ExitLine(b.Output)
	for _, mark := range exited {
		if b.ExitCode == nil {
			b.ExitCode = outcome.CodeAfter(outcome.Beginning(b.Output, 400), mark)
		}
	}
	refused, reply := d.phrases.Rejected(b.Output)
	b.Rejected = b.Rejected || refused || c.status == "rejected"
	failed := c.failed || strings.HasPrefix(b.Output, "<tool_use_error>") || b.ExitCode != nil && *b.ExitCode != 0
	if failed || b.Rejected || b.ExitCode != nil { // otherwise it is unknown
		b.IsError = loose.Flag(failed && !b.Rejected)
	}
	if failed || b.Rejected {
		b.Patch = nil
	}
	d.s.Add(b)
	d.s.User(reply, d.at)
}
