package codex

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ExecName is the name of the format that `codex exec --json` prints.
const ExecName = "codex-exec"

// Exec is Codex without a user interface, as scripts and loops run it.
var Exec = agent.Agent{Name: ExecName, Page: "codex.md", Transcript: &ExecTranscript}

// ExecTranscript recognises and reads the events of `codex exec --json`.
var ExecTranscript = transcript.Format{
	Name: ExecName, Title: "`codex exec --json` (JSONL)",
	Signs:     "`thread.started`, `turn.…` and `item.…` events",
	Limits:    "has no message of the person; edits name only their files; from 0.50 to 0.154",
	Recognise: func(h transcript.Head) int { return transcript.Best(h, execConfidence) },
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &execDecoder{s: a.Main(), phrases: outcome.Default(), running: map[string]bool{}, ended: true}
	},
}

func execConfidence(p record.Probe) int {
	switch {
	case p.Is("type", "thread.started") && p.Has("thread_id"),
		p.Is("type", "item.started", "item.updated", "item.completed") && p.Has("item.type", "item.id"):
		return 92
	case p.Is("type", "turn.completed") && p.Has("usage.input_tokens"):
		return 60
	}
	return 0
}

type execLine struct {
	Type   loose.String `json:"type"`
	Thread loose.String `json:"thread_id"`
	Item   execItem     `json:"item"`
	Usage  struct {
		Input  loose.Int `json:"input_tokens"`
		Cached loose.Int `json:"cached_input_tokens"`
		Output loose.Int `json:"output_tokens"`
	} `json:"usage"`
}

type execItem struct {
	ID        loose.String    `json:"id"`
	Type      loose.String    `json:"type"`
	Kind      loose.String    `json:"item_type"` // in early versions
	Text      loose.String    `json:"text"`
	Status    loose.String    `json:"status"`
	Command   loose.String    `json:"command"`
	Output    loose.String    `json:"aggregated_output"`
	ExitCode  *loose.Int      `json:"exit_code"`
	Server    loose.String    `json:"server"`
	Tool      loose.String    `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
	Query     loose.String    `json:"query"`
	Message   loose.String    `json:"message"`
	Changes   []struct {
		Path loose.String `json:"path"`
		Kind loose.String `json:"kind"`
	} `json:"changes"`
	Items []struct {
		Text      loose.String `json:"text"`
		Completed loose.Bool   `json:"completed"`
	} `json:"items"`
}

type execDecoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
	running map[string]bool // calls that have begun
	ended   bool            // a result arrived: the model's next item belongs to another response
}

// Record reads one event.
func (d *execDecoder) Record(r record.Record) error {
	var l execLine
	if err := json.Unmarshal(r.Data, &l); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not an event of codex exec: %w", err)
	}
	if l.Item.Type == "" {
		l.Item.Type = l.Item.Kind
	}
	switch l.Type {
	case "thread.started":
		d.s.Name(string(l.Thread))
	case "turn.started":
		d.ended = true
	case "item.started":
		d.item(&l.Item, false)
	case "item.updated":
		if l.Item.Type == "todo_list" {
			d.item(&l.Item, false)
		}
	case "item.completed":
		d.item(&l.Item, true)
	case "turn.completed":
		d.s.Usage(&sessionevents.Usage{
			InputTokens: int64(l.Usage.Input), OutputTokens: int64(l.Usage.Output), CacheRead: int64(l.Usage.Cached),
		})
		d.s.Stop("end_turn")
		d.ended = true
	case "turn.failed", "error":
		d.s.Fail(transcript.StopError, d.s.Last())
		d.ended = true
	default:
		d.s.Unknown(string(l.Type))
	}
	return nil
}

// End has nothing to complete: every turn ends with its last line.
func (d *execDecoder) End() {}

func (d *execDecoder) begin() {
	if d.ended {
		d.s.Begin("", d.s.Last())
	}
	d.ended = false
}

func (d *execDecoder) item(i *execItem, done bool) {
	name, input := "", map[string]any{}
	switch i.Type {
	case "agent_message", "assistant_message", "reasoning":
		if done {
			d.begin()
			if i.Type == "reasoning" {
				d.s.Thinking(string(i.Text))
			} else {
				d.s.Text(string(i.Text))
			}
		}
		return
	case "command_execution":
		name, input["command"] = "shell", string(i.Command)
	case "file_change":
		d.changes(i, done)
		return
	case "mcp_tool_call":
		name = "mcp__" + string(i.Server) + "__" + string(i.Tool)
	case "web_search":
		name, input["query"] = "web_search", string(i.Query)
	case "todo_list":
		name, input["todos"] = "update_plan", i.todos()
	case "error":
		return // a warning of the harness
	default:
		if done {
			d.s.Unknown(string(i.Type))
		}
		return
	}
	b := sessionevents.Block{
		Type: sessionevents.BlockToolCall, ID: string(i.ID), Name: name,
		Input: loose.Object(i.Arguments),
	}
	if b.Input == nil {
		b.Input, _ = json.Marshal(input) // only texts
	}
	d.call(b, done)
	if done {
		d.result(i, sessionevents.Block{Output: string(i.Output)})
	}
}

// call adds a call when it begins, or when it is done if its beginning was not reported.
func (d *execDecoder) call(b sessionevents.Block, done bool) {
	known := d.running[b.ID]
	if !known {
		d.begin()
		d.s.Add(b)
	} else {
		d.s.Amend(b.Type, b.ID, func(began *sessionevents.Block) { began.Input = b.Input })
	}
	if done {
		delete(d.running, b.ID)
	} else if len(d.running) < 1000 {
		d.running[b.ID] = true
	}
}

func (d *execDecoder) result(i *execItem, b sessionevents.Block) {
	b.Type, b.ID = sessionevents.BlockToolResult, string(i.ID)
	b.Output = loose.Join(b.Output, loose.Join(loose.Text(i.Result), loose.Text(i.Error)))
	if i.ExitCode != nil {
		b.ExitCode = loose.Code(int(*i.ExitCode))
	}
	b.Rejected = i.Status == "declined"
	failed := i.Status == "failed" || b.ExitCode != nil && *b.ExitCode != 0
	b.IsError = loose.Flag(failed && !b.Rejected)
	if failed || b.Rejected {
		b.Patch = nil
	}
	d.s.Add(b)
	d.ended = true
}

// changes adds an edit; its changes to the files are not reported.
func (d *execDecoder) changes(i *execItem, done bool) {
	ops := map[loose.String]sessionevents.DiffOperation{
		"add": sessionevents.DiffCreate, "delete": sessionevents.DiffDelete, "update": sessionevents.DiffUpdate,
	}
	words := map[loose.String]string{"add": "Add", "delete": "Delete", "update": "Update"}
	text := "*** Begin Patch\n"
	var files []sessionevents.FilePatch
	for _, c := range i.Changes {
		if words[c.Kind] != "" && c.Path != "" {
			text += "*** " + words[c.Kind] + " File: " + string(c.Path) + "\n"
			files = append(files, sessionevents.FilePatch{Path: string(c.Path), Op: ops[c.Kind]})
		}
	}
	input, err := json.Marshal(map[string]string{"input": text + "*** End Patch"})
	if err != nil || !done {
		return
	}
	d.call(sessionevents.Block{
		Type: sessionevents.BlockToolCall, ID: string(i.ID), Name: "apply_patch",
		Input: input,
	}, done)
	d.result(i, sessionevents.Block{Patch: files})
}

func (i *execItem) todos() []map[string]string {
	list := []map[string]string{}
	for _, item := range i.Items {
		status := "pending"
		if item.Completed {
			status = "completed"
		}
		list = append(list, map[string]string{"step": string(item.Text), "status": status})
	}
	return list
}
