package chat

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

type decoder struct {
	a       *transcript.Assembler
	s       *transcript.Session
	phrases *outcome.Phrases
	// thought means that the open response has only reasoning so far: the message that follows belongs to
	// it.
	thought bool
	ended   bool     // a result came: a call that follows is another response's
	calls   int      // number of calls without id, which serves as their id
	waiting []string // ids of calls without result, for results without id
}

func newDecoder(a *transcript.Assembler) *decoder {
	return &decoder{a: a, s: a.Main(), phrases: outcome.Default(), ended: true}
}

// Record reads a message, an event, or a member of the document.
func (d *decoder) Record(r record.Record) error {
	switch r.Key {
	case "", "messages", "conversation", "history":
	default:
		return d.member(r)
	}
	var l line
	if err := json.Unmarshal(r.Data, &l); err != nil {
		return fmt.Errorf("not a message: %w", err)
	}
	if len(l.Message) > 0 {
		l.enter()
	}
	at := &l.Timestamp
	for _, other := range []loose.Time{l.CreatedAt, l.TS} {
		if at.IsZero() {
			*at = other
		}
	}
	d.line(&l)
	return nil
}

// enter parses the message inside an envelope over the envelope's own fields; plain text is the content.
func (l *line) enter() {
	if l.Message[0] != '{' {
		l.Content = append(l.Content, loose.ReadParts(l.Message)...)
		return
	}
	at, id, inner := l.Timestamp, l.ID, l.Message
	l.Message = nil
	_ = json.Unmarshal(inner, l)
	if l.ID == "" {
		l.ID = id
	}
	if l.Timestamp.IsZero() {
		l.Timestamp = at
	}
}

// member reads a fact about the session.
func (d *decoder) member(r record.Record) error {
	var l line
	if err := json.Unmarshal([]byte(`{"`+r.Key+`":`+string(r.Data)+`}`), &l); err != nil {
		return fmt.Errorf("member %s: %w", r.Key, err)
	}
	d.about(&l)
	if r.Key == "id" {
		d.s.Name(string(l.ID))
	}
	return nil
}

// about records what a line says about the session.
func (d *decoder) about(l *line) {
	if id := either(l.SessionID, l.SessionID2); id != "" {
		d.s.Name(id)
	}
	d.s.SetWorkspace(either(l.CWD, l.Info.CWD))
	d.s.SetModel(either(l.Model, l.ModelID, l.ModelID2))
	d.s.Saw(l.SessionStart.Time)
	d.s.Saw(l.Timestamp.Time)
}

func (d *decoder) line(l *line) {
	role := string(l.Role)
	if role == "" {
		role = string(l.Type)
	}
	if role == "session" || role == "session_start" {
		d.s.Name(string(l.ID))
	}
	d.about(l)
	switch role {
	case "user", "human":
		d.user(l)
	case "assistant", "model", "ai", "gemini":
		d.response(l)
	case "reasoning", "thinking":
		d.begin(l)
		d.s.Thinking(loose.Join(l.Summary.Text(), loose.Join(string(l.Text), l.Content.Text())))
	case "tool_call", "function_call", "tool_use":
		d.begin(l)
		d.called(l)
	case "tool", "tool_result", "toolResult", "function", "function_result", "function_call_output":
		d.result(l)
	case "backend_tool_call":
		d.begin(l)
		d.backend(l)
	case "completion":
		d.begin(l)
		d.s.Text(string(l.FinalText))
		d.s.Usage(l.Usage.events())
		d.ended = true
	case "compaction", "compact", "context_compacted":
		d.s.Compacted()
	case "error":
		d.s.Stop("error")
	default:
		if !aside[role] {
			d.s.Unknown(role)
		}
	}
}

// aside are roles and types of lines that are not about the agent's actions.
var aside = map[string]bool{
	"": true, "system": true, "developer": true, "session": true, "session_start": true, "session_end": true,
	"message": true, "model_change": true,
	"thinking_level_change": true, "custom": true, "custom_message": true, "label": true, "session_info": true,
	"branch_summary": true, "todo_state": true,
	"init": true, "session_meta": true, "turn_ended": true, "turn_started": true, "summary": true,
	"title": true, "usage": true, "result": true, "bashExecution": true, "branchSummary": true,
	"compactionSummary": true,
}

// asideParts are parts of messages that are neither text nor calls.
var asideParts = map[string]bool{
	"image": true, "image_url": true, "input_image": true, "input_file": true, "document": true, "file": true,
	"audio": true, "input_audio": true, "video": true,
	"redacted_thinking": true, "refusal": true, "step-start": true, "cache_control": true,
}

// End has nothing to complete: every turn ends with its last line.
func (d *decoder) End() {}

// user adds what the person said; tool results in a user message belong to the open turn.
func (d *decoder) user(l *line) {
	d.part(l, l.Content)
	d.part(l, l.Parts)
	if l.Synthetic == "" {
		d.phrases.Heard(d.s, string(l.Text), l.Timestamp.Time)
	}
}

func (d *decoder) part(l *line, parts loose.Parts) {
	for i := range parts {
		p := &parts[i]
		switch p.Type {
		case "tool_result", "tool-result", "toolResult":
			d.settle(sessionevents.Block{
				ID: either(p.ToolUseID, p.ToolCallID, p.CallIDCamel), Output: loose.Text(value(p.Content, p.Output)),
			}, p.IsError)
		case "text", "input_text", "":
			if l.Synthetic == "" {
				d.phrases.Heard(d.s, p.Text, l.Timestamp.Time)
			}
		default:
			if !asideParts[p.Type] {
				d.s.Unknown(p.Type)
			}
		}
	}
}

// response begins a response, or continues the one whose reasoning preceded.
func (d *decoder) response(l *line) {
	if !d.thought {
		d.s.Begin(either(l.ID, l.UUID), l.Timestamp.Time)
		d.waiting = nil
	}
	d.thought, d.ended = false, false
	d.s.Thinking(either(l.Reasoning2, l.Reasoning))
	d.s.Text(string(l.Text))
	d.said(l.Content)
	d.said(l.Parts)
	for i := range l.ToolCalls {
		c := &l.ToolCalls[i]
		f := c.Function
		if f == nil {
			f = &function{}
		}
		d.call(either(c.ID, c.CallID), either(c.Name, f.Name), value(c.Arguments, c.Args, c.Input, f.Arguments))
	}
	d.s.Usage(l.Usage.events())
	d.s.Stop(either(l.Stop, l.Stop2, l.Stop3))
}

func (d *decoder) said(parts loose.Parts) {
	for i := range parts {
		p := &parts[i]
		switch p.Type {
		case "thinking", "reasoning":
			d.s.Thinking(either(loose.String(p.Thinking), loose.String(p.Text)))
		case "tool_use", "tool_call", "tool-call", "toolCall":
			d.call(either(p.ID, p.CallID, p.CallIDCamel), string(p.Name), value(p.Input, p.Arguments, p.Args))
		default:
			if p.FunctionCall != nil {
				d.call(string(p.FunctionCall.ID), string(p.FunctionCall.Name), p.FunctionCall.Args)
				continue
			}
			if p.Text == "" && p.Type != "" && p.Type != "text" && p.Type != "output_text" && !asideParts[p.Type] {
				d.s.Unknown(p.Type)
			}
			d.s.Text(p.Text)
		}
	}
}

// begin continues the open response unless it has ended.
func (d *decoder) begin(l *line) {
	if d.ended || d.s.HasPending() {
		d.s.Begin("", l.Timestamp.Time)
		d.waiting = nil
		d.thought = true
	}
	d.ended = false
}
