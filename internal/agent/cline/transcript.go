package cline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript recognises and reads tasks of Cline, Roo Code and Kilo Code.
var Transcript = transcript.Format{
	Name: Name, Title: "Cline, Roo Code or Kilo Code task (JSON)",
	Signs:     "messages with `<environment_details>` and `<task>`, `<user_message>`, or `[… Result:`",
	Limits:    "Cline 3, Roo 3, Kilo 4; calls in XML and as parts; exit codes where the harness writes them",
	Recognise: recognise,
	Members:   record.Members{Stream: []string{"messages"}},
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default()}
	},
}

// recognise requires messages with two of the harness's own phrases.
func recognise(h transcript.Head) int {
	if len(h.Probes) == 0 || h.Structure == transcript.Text {
		return 0
	}
	p, marks := h.Probes[0], 0
	if !p.Is("role", "user", "assistant") && !p.Has("messages[].role") {
		return 0
	}
	text := string(h.Bytes)
	for _, words := range [][]string{
		{"<environment_details>", `\u003cenvironment_details\u003e`},
		{"<task>", `\u003ctask\u003e`, "<user_message>"},
		{"] Result:"},
		{"# VSCode Visible Files", "# VSCode Open Tabs", "# Current Mode", "# Current Working Directory"},
	} {
		for _, w := range words {
			if strings.Contains(text, w) {
				marks++
				break
			}
		}
	}
	if marks >= 2 {
		return 85
	}
	return 0
}

var (
	answers = pattern.Must(`(?s)^\[(\w+)(?: (?:for|to) .*?)?\] Result:\s*(.*)$`)
	spoken  = pattern.Must(`(?s)<(task|feedback|user_message|answer)>(.*?)</(?:task|feedback|user_message|answer)>`)
	details = pattern.Must(`(?s)<environment_details>.*?(?:</environment_details>|$)`)
	denied  = []string{"The user denied this operation", "The user denied", "User denied"}
)

type message struct {
	Role    loose.String `json:"role"`
	Content []part       `json:"content"`
	Time    loose.Time   `json:"ts"`
}

// UnmarshalJSON parses a content that is plain text as one part.
func (m *message) UnmarshalJSON(b []byte) error {
	var v struct {
		Role    loose.String    `json:"role"`
		Content json.RawMessage `json:"content"`
		Time    loose.Time      `json:"ts"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	m.Role, m.Time = v.Role, v.Time
	if len(v.Content) > 0 && v.Content[0] == '"' {
		m.Content = []part{{Type: "text", Text: loose.String(loose.Text(v.Content))}}
		return nil
	}
	if err := json.Unmarshal(v.Content, &m.Content); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("content: %w", err)
	}
	return nil
}

type part struct {
	Type     loose.String    `json:"type"`
	Text     loose.String    `json:"text"`
	Thinking loose.String    `json:"thinking"`
	ID       loose.String    `json:"id"`
	Name     loose.String    `json:"name"`
	Input    json.RawMessage `json:"input"`
	CallID   loose.String    `json:"tool_use_id"`
	Content  json.RawMessage `json:"content"`
	IsError  loose.Bool      `json:"is_error"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
	calls   int
	waiting []string // calls without a result, oldest first
	result  *sessionevents.Block
}

// Record reads a message.
func (d *decoder) Record(r record.Record) error {
	var m message
	if err := json.Unmarshal(r.Data, &m); err != nil {
		return fmt.Errorf("not a message: %w", err)
	}
	at := m.Time.Time
	d.s.Saw(at)
	switch m.Role {
	case "assistant":
		d.s.Begin("", at)
		d.waiting = nil
		for i := range m.Content {
			d.said(&m.Content[i])
		}
	case "user":
		for i := range m.Content {
			d.heard(&m.Content[i], at)
		}
		d.settle(at)
	case "system":
	default:
		d.s.Unknown(string(m.Role))
	}
	return nil
}

// End has nothing to complete: every turn ends with its last message.
func (d *decoder) End() {}

func (d *decoder) said(p *part) {
	switch p.Type {
	case "text":
		for _, piece := range pieces(string(p.Text)) {
			switch {
			case piece.name == "thinking":
				d.s.Thinking(piece.text)
			case piece.name != "":
				d.call(&piece)
			default:
				d.s.Text(piece.text)
			}
		}
	case "thinking", "reasoning":
		d.s.Thinking(loose.Join(string(p.Thinking), string(p.Text)))
	case "tool_use":
		d.waiting = append(d.waiting, string(p.ID))
		d.s.Call(string(p.ID), string(p.Name), loose.Object(p.Input))
	case "image", "redacted_thinking":
	default:
		d.s.Unknown(string(p.Type))
	}
}

func (d *decoder) call(c *piece) {
	if text := c.fields[speaking[c.name]]; text != "" {
		d.s.Text(text)
	}
	d.calls++
	id := "call-" + strconv.Itoa(d.calls)
	d.waiting = append(d.waiting, id)
	input, err := json.Marshal(c.fields)
	if err != nil {
		input = nil
	}
	d.s.Call(id, c.name, input)
}

// heard reads a part of a user message: a result, what the person said, or text of the harness.
func (d *decoder) heard(p *part, at time.Time) {
	switch p.Type {
	case "tool_result":
		d.settle(at)
		d.result = &sessionevents.Block{ID: string(p.CallID), Output: loose.Text(p.Content)}
		if p.IsError {
			d.result.IsError = loose.Flag(true)
		}
		d.settle(at)
	case "text":
		d.text(strings.TrimSpace(details.ReplaceAllString(string(p.Text), "")), at)
	case "image":
	default:
		d.s.Unknown(string(p.Type))
	}
}

func (d *decoder) text(text string, at time.Time) {
	if m := answers.FindStringSubmatch(text); m != nil && len(d.waiting) > 0 {
		d.settle(at)
		d.result = &sessionevents.Block{ID: d.waiting[0], Output: m[2]}
		return
	}
	if d.result != nil && !strings.HasPrefix(text, "<") {
		d.result.Output = loose.Join(d.result.Output, text)
		return
	}
	if spoke := spoken.FindAllStringSubmatch(text, 20); len(spoke) > 0 {
		d.settle(at)
		for _, m := range spoke {
			d.s.User(d.phrases.UserText(strings.TrimSpace(m[2])), at)
		}
		return
	}
	switch {
	case text == "", strings.HasPrefix(text, "[ERROR]"), strings.HasPrefix(text, "[TASK RESUMPTION]"):
	default:
		d.s.User(d.phrases.UserText(text), at)
	}
}

// settle adds the pending result.
func (d *decoder) settle(at time.Time) {
	b := d.result
	if b == nil {
		return
	}
	d.result = nil
	if len(d.waiting) > 0 {
		d.waiting = d.waiting[1:]
	}
	b.Type = sessionevents.BlockToolResult
	b.ExitCode = outcome.CodeAfter(outcome.Beginning(b.Output, 400), "Exit code:")
	for _, words := range denied {
		b.Rejected = b.Rejected || strings.HasPrefix(b.Output, words)
	}
	failed := b.IsError != nil || b.ExitCode != nil && *b.ExitCode != 0 ||
		strings.HasPrefix(b.Output, "The tool execution failed") || strings.HasPrefix(b.Output, "Error ")
	if failed || b.Rejected || b.ExitCode != nil {
		b.IsError = loose.Flag(failed && !b.Rejected)
	}
	said := spoken.FindStringSubmatch(b.Output)
	d.s.Add(*b)
	if said != nil {
		d.s.User(d.phrases.UserText(strings.TrimSpace(said[2])), at)
	}
}
