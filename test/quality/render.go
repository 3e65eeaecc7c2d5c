package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// renderer writes a plant's turns as the host's agent would have.
type renderer struct {
	style, session, folder string
	calls                  int
	files                  map[string]string // what plants wrote, to be read again
}

// turns returns the blocks of a plant's turn; mini-swe-agent makes one call a turn.
func (r *renderer) turns(t plantTurn) [][]sessionevents.Block {
	var head []sessionevents.Block
	for _, b := range []sessionevents.Block{{Type: sessionevents.BlockUser, Text: t.User}, {Type: sessionevents.BlockThinking, Text: t.Think}, {Type: r.speech(), Text: t.Say}} {
		if b.Text != "" {
			head = append(head, b)
		}
	}
	if len(t.Acts) == 0 {
		return [][]sessionevents.Block{head}
	}
	var out [][]sessionevents.Block
	for i, a := range t.Acts {
		call, result := r.act(a)
		switch {
		case i == 0:
			out = append(out, append(head, call, result))
		case r.style == "miniswe":
			out = append(out, []sessionevents.Block{call, result})
		default:
			out[0] = append(out[0], call, result)
		}
	}
	return out
}

// speech: mini-swe-agent's prose before a command is read as its thought.
func (r *renderer) speech() sessionevents.BlockType {
	if r.style == "miniswe" {
		return sessionevents.BlockThinking
	}
	return sessionevents.BlockText
}

func (r *renderer) act(a act) (call, result sessionevents.Block) {
	r.calls++
	id := "plant-" + strconv.Itoa(r.calls)
	name, input := r.call(a)
	encoded, err := json.Marshal(input)
	if err != nil {
		panic(fmt.Sprintf("encode a plant's call: %v", err)) // strings only
	}
	failed := a.Exit != 0
	call = sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: name, Input: encoded}
	result = sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: r.output(a), IsError: &failed}
	if a.Run != "" && r.style != "claude" {
		result.ExitCode = &a.Exit
	}
	return call, result
}

type fields map[string]string

func (r *renderer) call(a act) (string, fields) {
	switch r.style {
	case "claude":
		return claudeCall(a)
	case "gemini":
		return geminiCall(a)
	case "codex":
		if a.Write != "" || a.Edit != "" {
			return "apply_patch", fields{"input": patch(a)}
		}
		return "exec_command", fields{"cmd": shellCall(a), "workdir": r.folder}
	default:
		return "bash", fields{"command": shellCall(a)}
	}
}

func claudeCall(a act) (string, fields) {
	switch {
	case a.Read != "":
		return "Read", fields{"file_path": a.Read}
	case a.Search != "":
		return "Grep", fields{"pattern": a.Search, "path": a.In, "output_mode": "content"}
	case a.Write != "":
		return "Write", fields{"file_path": a.Write, "content": a.Text}
	case a.Edit != "":
		return "Edit", fields{"file_path": a.Edit, "old_string": a.Old, "new_string": a.New}
	case a.Fetch != "":
		return "WebFetch", fields{"url": a.Fetch, "prompt": "What does it say about this?"}
	}
	return "Bash", fields{"command": a.Run, "description": "Run it"}
}

func geminiCall(a act) (string, fields) {
	switch {
	case a.Read != "":
		return "read_file", fields{"file_path": a.Read}
	case a.Search != "":
		return "search_file_content", fields{"pattern": a.Search, "path": a.In}
	case a.Write != "":
		return "write_file", fields{"file_path": a.Write, "content": a.Text}
	case a.Edit != "":
		return "replace", fields{"file_path": a.Edit, "old_string": a.Old, "new_string": a.New}
	case a.Fetch != "":
		return "web_fetch", fields{"prompt": "Summarise " + a.Fetch}
	}
	return "run_shell_command", fields{"command": a.Run}
}

func shellCall(a act) string {
	switch {
	case a.Read != "":
		return "cat " + a.Read
	case a.Search != "":
		return "grep -rn '" + a.Search + "' " + a.In
	case a.Write != "":
		return "cat > " + a.Write + " << 'EOF'\n" + a.Text + "EOF"
	case a.Edit != "" && a.Old == "":
		return "cat >> " + a.Edit + " << 'EOF'\n" + a.New + "EOF"
	case a.Edit != "":
		return "git apply << 'EOF'\n--- a/" + a.Edit + "\n+++ b/" + a.Edit + "\n" + hunk(a) + "EOF"
	case a.Fetch != "":
		return "curl -s " + a.Fetch
	}
	return a.Run
}

func patch(a act) string {
	if a.Write != "" {
		return "*** Begin Patch\n*** Add File: " + a.Write + "\n" + marked("+", a.Text) + "*** End Patch\n"
	}
	return "*** Begin Patch\n*** Update File: " + a.Edit + "\n@@\n" + marked("-", a.Old) + marked("+", a.New) + "*** End Patch\n"
}

func hunk(a act) string {
	return fmt.Sprintf("@@ -40,%d +40,%d @@\n", lineCount(a.Old), lineCount(a.New)) + marked("-", a.Old) + marked("+", a.New)
}

func lineCount(text string) int { return strings.Count(strings.TrimSuffix(text, "\n")+"\n", "\n") }

// marked puts a diff's mark before each line.
func marked(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+mark) + "\n"
}

// output returns what the tool says: as given, the file as it was written, or the harness's own words.
func (r *renderer) output(a act) string {
	switch {
	case a.Write != "":
		r.files[a.Write] = a.Text
	case a.Edit != "":
		r.files[a.Edit] = ""
	}
	switch {
	case a.Exit != 0 && r.style == "claude":
		return fmt.Sprintf("Exit code %d\n%s", a.Exit, a.Output)
	case a.Read != "":
		text := a.Output
		if text == "" {
			text = r.files[a.Read]
		}
		return r.numbered(text)
	case a.Output != "" || a.Run != "":
		return a.Output
	case a.Write != "" && r.style == "claude":
		return "File created successfully at: " + a.Write
	case a.Edit != "" && r.style == "claude":
		return "The file " + a.Edit + " has been updated."
	case a.Write != "" && r.style == "gemini":
		return "Successfully created and wrote to new file: " + a.Write + "."
	case a.Edit != "" && r.style == "gemini":
		return "Successfully modified file: " + a.Edit + " (1 replacements)."
	case r.style == "codex" && a.Write != "":
		return "Success. Updated the following files:\nA " + a.Write + "\n"
	case r.style == "codex" && a.Edit != "":
		return "Success. Updated the following files:\nM " + a.Edit + "\n"
	}
	return ""
}

// numbered returns a file's text as the agent's reading tool shows it.
func (r *renderer) numbered(text string) string {
	if r.style != "claude" {
		return text
	}
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(&b, "%6d→%s\n", i+1, line)
	}
	return b.String()
}

// geminiNames are Gemini's tools for those of Claude Code.
var geminiNames = map[string]string{
	"Read": "read_file", "Write": "write_file", "Edit": "replace", "Bash": "run_shell_command",
	"Grep": "search_file_content", "Glob": "glob", "WebFetch": "web_fetch", "WebSearch": "google_web_search",
}

// retold returns a Claude session with Gemini's tools: the real Gemini sessions are too short to be hosts.
func retold(h *host) *host {
	other := *h
	other.style, other.seed = "gemini", h.seed^0x9e3779b97f4a7c15
	other.events = make([]events.Event, len(h.events))
	for i, e := range h.events {
		if turn, ok := e.Data.(*sessionevents.Turn); ok {
			copied := *turn
			copied.Blocks = make([]sessionevents.Block, len(turn.Blocks))
			for j, b := range turn.Blocks {
				if name, known := geminiNames[b.Name]; known {
					b.Name = name
				}
				if b.Type == sessionevents.BlockToolResult {
					b.Output = lineNumber.ReplaceAllString(b.Output, "")
				}
				copied.Blocks[j] = b
			}
			e.Data = &copied
		}
		other.events[i] = e
	}
	return &other
}
