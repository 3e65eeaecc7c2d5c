package codex

import (
	"encoding/json"
	"sort"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/patch"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// result adds the output of a call and ends the response. Codex has no error flag: the exit code is in the
// output's header.
func (d *decoder) result(i *item) {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(i.CallID)}
	raw := i.Output
	if len(raw) == 0 {
		raw = i.Result
	}
	if len(raw) == 0 {
		raw = i.Tools
	}
	b.Output, b.ExitCode = output(raw)
	rejected, reply := d.phrases.Rejected(b.Output)
	b.Rejected = rejected
	fail(&b, b.ExitCode != nil && *b.ExitCode != 0 || failedText(b.Output) || scriptFailed(raw))
	b.Patch = d.edits[b.ID]
	delete(d.edits, b.ID)
	delete(d.open, b.ID)
	if s := d.scripts[b.ID]; s != nil {
		delete(d.scripts, b.ID)
		d.finish(s, b)
	} else {
		d.s.Add(b)
	}
	d.ended = true
	d.user("reply", reply, time.Time{})
}

// fail sets the error flag; a refusal is not an error (SW-3).
func fail(b *sessionevents.Block, failed bool) {
	b.IsError = loose.Flag(failed && !b.Rejected)
}

// failedText recognises the failures of tools that print no exit code.
func failedText(text string) bool {
	return strings.HasPrefix(text, "apply_patch verification failed") || strings.HasPrefix(text, "failed to parse function arguments") ||
		strings.HasPrefix(text, "unsupported call:") || strings.HasPrefix(text, "execution error:")
}

// scriptFailed reports whether the first line of a script's result says that it failed.
func scriptFailed(raw json.RawMessage) bool {
	return strings.HasPrefix(loose.Text(raw), "Script failed")
}

// output parses a result: plain text with a header, or JSON with the text inside.
func output(raw json.RawMessage) (string, *int) {
	text := loose.Text(raw)
	if len(text) > 0 && text[0] == '{' {
		var wrapped struct {
			Output   *loose.String `json:"output"`
			ExitCode *loose.Int    `json:"exit_code"`
			Metadata struct {
				ExitCode *loose.Int `json:"exit_code"`
			} `json:"metadata"`
		}
		if json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Output != nil {
			if wrapped.ExitCode == nil {
				wrapped.ExitCode = wrapped.Metadata.ExitCode
			}
			return string(*wrapped.Output), code(wrapped.ExitCode)
		}
	}
	var object struct {
		ExitCode *loose.Int `json:"exitCode"`
	}
	if len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &object) == nil && object.ExitCode != nil {
		return text, code(object.ExitCode)
	}
	return header(text)
}

func code(n *loose.Int) *int {
	if n == nil {
		return nil
	}
	return loose.Code(int(*n))
}

// header removes the harness's lines from an output, because their chunk ids and times would make equal
// outputs differ (SW-6); the line that a process still runs stays.
func header(text string) (string, *int) {
	const longest = 400 // limit of the header, in bytes
	head, body, ok := strings.Cut(text, "Output:\n")
	if !ok {
		head, body, ok = strings.Cut(text, "Output:")
	}
	if !ok || len(head) > longest || !isHeader(head) {
		if begin := outcome.Beginning(text, 40); strings.HasPrefix(begin, "Exit code: ") {
			return text, outcome.CodeAfter(begin, "Exit code: ")
		}
		return text, nil
	}
	exit := outcome.CodeAfter(head, "Process exited with code ")
	if exit == nil {
		exit = outcome.CodeAfter(head, "Exit code: ")
	}
	for _, running := range []string{"Process running with session ID", "Script running with cell ID"} {
		if at := strings.Index(head, running); at >= 0 {
			line, _, _ := strings.Cut(head[at:], "\n")
			return line + "\n" + body, exit
		}
	}
	if inner, code := header(strings.TrimLeft(body, "\n")); strings.HasPrefix(head, "Script ") && code != nil {
		return inner, code // the output of the only command in the script
	}
	return body, exit
}

func isHeader(head string) bool {
	for _, begin := range []string{"Chunk ID: ", "Wall time: ", "Exit code: ", "Process ", "Script "} {
		if strings.HasPrefix(head, begin) {
			return true
		}
	}
	return false
}

// settle joins what an event reports about a call with the call's result, whichever comes first.
func (d *decoder) settle(i *item) {
	id := string(i.CallID)
	files := edits(i.Changes)
	failed := i.Success != nil && !bool(*i.Success)
	isPatch := i.Type == "patch_apply_end"
	if isPatch && d.repeated(id) {
		return
	}
	if failed {
		files = nil
	}
	known := d.s.Amend(sessionevents.BlockToolResult, id, func(b *sessionevents.Block) {
		if i.ExitCode != nil {
			b.ExitCode = code(i.ExitCode)
			failed = failed || *i.ExitCode != 0
		}
		if failed {
			fail(b, true)
		}
		b.Patch = append(b.Patch, files...)
	})
	switch {
	case known:
	case isPatch && !d.open[id]:
		d.reported(id, report{files: files, failed: failed})
	case len(files) > 0 && len(d.edits) < maxOpen:
		d.edits[id] = files
	}
}

// repeated reports whether an event has already reported this patch.
func (d *decoder) repeated(id string) bool {
	if id == "" {
		return false
	}
	if len(d.settled) >= maxOpen {
		clear(d.settled)
	}
	known := d.settled[id]
	d.settled[id] = true
	return known
}

// completed reads the file change that versions since 0.158 report as an item.
func (d *decoder) completed(i *item) {
	if i.Item == nil || i.Item.Type != "FileChange" && i.Item.Type != "file_change" {
		return
	}
	change := *i.Item
	change.Type, change.CallID = "patch_apply_end", change.ID
	var status string
	_ = json.Unmarshal(change.Status, &status)
	success := loose.Bool(status == "" || status == "completed")
	change.Success = &success
	d.settle(&change)
}

// edits returns the files of an applied patch, sorted by path.
func edits(changes map[string]change) []sessionevents.FilePatch {
	paths := make([]string, 0, len(changes))
	for path := range changes {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	var files []sessionevents.FilePatch
	for _, path := range paths {
		switch c := changes[path]; c.Type {
		case "add":
			files = append(files, patch.Created(path, string(c.Content)))
		case "delete":
			files = append(files, patch.Deleted(path, string(c.Content)))
		default:
			f := sessionevents.FilePatch{Path: path, Op: sessionevents.DiffUpdate, Hunks: patch.Hunks(string(c.UnifiedDiff))}
			if c.MovePath != "" {
				f.Path, f.OldPath, f.Op = string(c.MovePath), path, sessionevents.DiffRename
			}
			files = append(files, f)
		}
	}
	return files
}

// line is one line: an envelope with a payload, or, in the first versions, the payload itself.
type line struct {
	Timestamp loose.Time   `json:"timestamp"`
	Type      loose.String `json:"type"`
	Payload   *item        `json:"payload"`
}

// item holds the fields of a payload of any type.
type item struct {
	Type   loose.String `json:"type"`
	ID     loose.String `json:"id"`
	CallID loose.String `json:"call_id"`

	// session_meta, turn_context
	CWD         loose.String    `json:"cwd"`
	Model       loose.String    `json:"model"`
	Source      json.RawMessage `json:"source"`
	AgentRole   loose.String    `json:"agent_role"`
	Instruction json.RawMessage `json:"instructions"`

	// messages and reasoning
	Role    loose.String `json:"role"`
	Content loose.Parts  `json:"content"`
	Summary loose.Parts  `json:"summary"`
	Message loose.String `json:"message"`
	Text    loose.String `json:"text"`

	// calls and results
	Name      loose.String    `json:"name"`
	Function  *function       `json:"function"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`
	Result    json.RawMessage `json:"result"`
	ExitCode  *loose.Int      `json:"exit_code"`
	Success   *loose.Bool     `json:"success"`
	Status    json.RawMessage `json:"status"`
	Tools     json.RawMessage `json:"tools"`

	Changes map[string]change `json:"changes"`
	Info    *info             `json:"info"`
	Item    *item             `json:"item"` // for item_completed
	Reason  loose.String      `json:"reason"`
}

type function struct {
	Name loose.String `json:"name"`
}

// change is the change of one file in patch_apply_end.
type change struct {
	Type        loose.String `json:"type"` // add, update, delete
	Content     loose.String `json:"content"`
	UnifiedDiff loose.String `json:"unified_diff"`
	MovePath    loose.String `json:"move_path"`
}

// info is a token count; last is that of the last response.
type info struct {
	Last *struct {
		Input     loose.Int `json:"input_tokens"`
		Cached    loose.Int `json:"cached_input_tokens"`
		Output    loose.Int `json:"output_tokens"`
		CacheMade loose.Int `json:"cache_write_input_tokens"`
	} `json:"last_token_usage"`
}

func (i *info) usage() *sessionevents.Usage {
	if i == nil || i.Last == nil {
		return nil
	}
	return &sessionevents.Usage{
		InputTokens: int64(i.Last.Input), OutputTokens: int64(i.Last.Output),
		CacheRead: int64(i.Last.Cached), CacheWrite: int64(i.Last.CacheMade),
	}
}
