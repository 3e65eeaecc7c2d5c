package kiro

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript recognises and reads sessions of the Kiro CLI.
var Transcript = transcript.Format{
	Name: Name, Title: "Kiro CLI session (JSONL)",
	Signs:     "`kind` such as `Prompt`, `AssistantMessage`, `ToolResults` with `data.message_id`",
	Limits:    "version v1 of its files",
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default()}
	},
}

func confidence(p record.Probe) int {
	if p.Is("kind", "Prompt", "AssistantMessage", "ToolResults") && p.Has("data.message_id", "data.content") {
		return 92
	}
	return 0
}

type line struct {
	Kind loose.String `json:"kind"`
	Data struct {
		ID      loose.String `json:"message_id"`
		Content []part       `json:"content"`
		Meta    struct {
			Timestamp loose.Time   `json:"timestamp"`
			CWD       loose.String `json:"cwd"`
			Model     loose.String `json:"model_id"`
		} `json:"meta"`
	} `json:"data"`
}

type part struct {
	Kind loose.String    `json:"kind"`
	Data json.RawMessage `json:"data"`
}

type tool struct {
	ID      loose.String    `json:"toolUseId"`
	Name    loose.String    `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content []part          `json:"content"`
	Status  loose.String    `json:"status"` // success, error
	Text    loose.String    `json:"text"`   // for a thought
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
}

// Record reads one line.
func (d *decoder) Record(r record.Record) error {
	var l line
	if err := json.Unmarshal(r.Data, &l); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a line of a session: %w", err)
	}
	meta := &l.Data.Meta
	d.s.Saw(meta.Timestamp.Time)
	d.s.SetWorkspace(string(meta.CWD))
	d.s.SetModel(string(meta.Model))
	switch l.Kind {
	case "Prompt":
	case "AssistantMessage":
		d.s.Begin(string(l.Data.ID), meta.Timestamp.Time)
	case "ToolResults":
	case "Compaction", "Summary":
		d.s.Compacted()
		return nil
	case "Clear", "ResetTo", "SessionStart", "Metadata":
		return nil
	default:
		d.s.Unknown(string(l.Kind))
		return nil
	}
	for i := range l.Data.Content {
		d.part(&l, &l.Data.Content[i])
	}
	return nil
}

// End has nothing to complete: every turn ends with its last line.
func (d *decoder) End() {}

func (d *decoder) part(l *line, p *part) {
	var t tool
	_ = json.Unmarshal(p.Data, &t) // plain text does not have these fields
	switch p.Kind {
	case "text":
		text := loose.Text(p.Data)
		if l.Kind == "AssistantMessage" {
			d.s.Text(text)
		} else {
			d.phrases.Heard(d.s, text, l.Data.Meta.Timestamp.Time)
		}
	case "thinking":
		d.s.Thinking(string(t.Text))
	case "toolUse":
		d.s.Call(string(t.ID), string(t.Name), loose.Object(t.Input))
	case "toolResult":
		d.result(&t)
	case "image", "redactedThinking":
	default:
		d.s.Unknown(string(p.Kind))
	}
}

func (d *decoder) result(t *tool) {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(t.ID)}
	var printed struct {
		Exit *loose.Int `json:"exit_status"`
	}
	for i := range t.Content {
		b.Output = loose.Join(b.Output, loose.Text(t.Content[i].Data))
		if t.Content[i].Kind == "json" && json.Unmarshal(t.Content[i].Data, &printed) == nil && printed.Exit != nil {
			b.ExitCode = loose.Code(int(*printed.Exit))
		}
	}
	refused, reply := d.phrases.Rejected(b.Output)
	failed := t.Status == "error" || b.ExitCode != nil && *b.ExitCode != 0
	if b.Rejected = failed && refused; failed || t.Status == "success" || b.ExitCode != nil {
		b.IsError = loose.Flag(failed && !b.Rejected)
	}
	d.s.Add(b)
	if b.Rejected {
		d.s.User(reply, d.s.Last())
	}
}
