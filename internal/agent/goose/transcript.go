package goose

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript recognises and reads Goose's sessions.
var Transcript = transcript.Format{
	Name: Name, Title: "Goose session (JSON, JSONL, stream-json)",
	Signs:     "messages with parts `toolRequest` and `toolResponse`, or `working_dir` with a conversation",
	Limits:    "1.0 to 1.9; results carry no exit code but where the tool writes one",
	Recognise: recognise,
	Members: record.Members{
		Stream: []string{"messages", "conversation"}, Keep: []string{"id", "working_dir", "model_config", "session_id"},
	},
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default()}
	},
}

// parts are kinds of content that no other agent writes.
var parts = []string{"toolRequest", "toolResponse", "frontendToolRequest", "toolConfirmationRequest"}

// recognise requires messages with one of Goose's parts, or the members of its sessions.
func recognise(h transcript.Head) int {
	own := strings.Contains(string(h.Bytes), `"toolRequest"`) || strings.Contains(string(h.Bytes), `"toolResponse"`)
	return transcript.Best(h, func(p record.Probe) int {
		for _, at := range []string{"", "message.", "messages[].", "conversation[]."} {
			if !p.Is(at+"role", "user", "assistant") || !p.Has(at+"content") {
				continue
			}
			switch {
			case own, p.Is(at+"content[].type", parts...):
				return 90
			case at == "conversation[]." && p.Has("working_dir"), p.Is("type", "message") && p.Has("message.created"):
				return 85
			}
		}
		if p.Has("working_dir", "description", "message_count") {
			return 85 // the first line of a session file
		}
		return 0
	})
}

type message struct {
	ID      loose.String `json:"id"`
	Role    loose.String `json:"role"`
	Created loose.Time   `json:"created"`
	Content []content    `json:"content"`
}

// line is a message, an event that contains one, or the first line of a session file.
type line struct {
	message
	Type    loose.String `json:"type"`
	Message *message     `json:"message"`
	Folder  loose.String `json:"working_dir"`
	Error   loose.String `json:"error"`
	Tokens  loose.Int    `json:"total_tokens"`
}

type content struct {
	Type     loose.String `json:"type"`
	ID       loose.String `json:"id"`
	Text     loose.String `json:"text"`
	Thinking loose.String `json:"thinking"`
	ToolCall struct {
		Status loose.String `json:"status"`
		Value  struct {
			Name      loose.String    `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"value"`
		Error loose.String `json:"error"`
	} `json:"toolCall"`
	ToolResult struct {
		Status loose.String    `json:"status"`
		Value  json.RawMessage `json:"value"`
		Error  loose.String    `json:"error"`
	} `json:"toolResult"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
	calls   int      // number of calls so far, the id of those without one
	waiting []string // calls without result, for results without id
}

// Record reads a message, an event, or a member of the document.
func (d *decoder) Record(r record.Record) error {
	switch r.Key {
	case "", "messages", "conversation":
	default:
		return d.member(r)
	}
	var l line
	if err := json.Unmarshal(r.Data, &l); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a message: %w", err)
	}
	switch {
	case l.Message != nil:
		d.message(l.Message)
	case l.Role != "":
		d.message(&l.message)
	case l.Folder != "":
		d.s.SetWorkspace(string(l.Folder))
	case l.Type == "error":
		d.s.Fail(transcript.StopError, d.s.Last())
	case l.Type == "complete", l.Type == "notification", l.Type == "model_change":
	default:
		d.s.Unknown(string(l.Type))
	}
	return nil
}

// End has nothing to complete: every turn ends with its last message.
func (d *decoder) End() {}

func (d *decoder) member(r record.Record) error {
	var m struct {
		Model loose.String `json:"model_name"`
	}
	switch r.Key {
	case "id", "session_id":
		d.s.Name(loose.Text(r.Data))
	case "working_dir":
		d.s.SetWorkspace(loose.Text(r.Data))
	case "model_config":
		if err := json.Unmarshal(r.Data, &m); err != nil && !loose.Mismatch(err) {
			return fmt.Errorf("member %s: %w", r.Key, err)
		}
		d.s.SetModel(string(m.Model))
	}
	return nil
}

func (d *decoder) message(m *message) {
	at := m.Created.Time
	d.s.Saw(at)
	if m.Role == "assistant" {
		d.s.Begin(string(m.ID), at)
		d.waiting = nil
	}
	for i := range m.Content {
		c := &m.Content[i]
		switch c.Type {
		case "text":
			if m.Role == "assistant" {
				d.s.Text(string(c.Text))
			} else {
				d.phrases.Heard(d.s, string(c.Text), at)
			}
		case "thinking", "reasoning":
			d.s.Thinking(loose.Join(string(c.Thinking), string(c.Text)))
		case "toolRequest", "frontendToolRequest":
			d.request(c)
		case "toolResponse":
			d.response(c)
		case "image", "redactedThinking", "toolConfirmationRequest", "actionRequired", "systemNotification":
		case "contextLengthExceeded", "summarizationRequested", "conversationCompacted":
			d.s.Compacted()
		default:
			d.s.Unknown(string(c.Type))
		}
	}
}

func (d *decoder) request(c *content) {
	d.calls++
	id := string(c.ID)
	if id == "" {
		id = fmt.Sprintf("call-%d", d.calls)
	}
	name := string(c.ToolCall.Value.Name)
	if name == "" {
		d.s.Unsupported(sessionevents.UnsupportedCall, "toolRequest")
		return
	}
	if _, tool, has := strings.Cut(name, "__"); has { // extension__tool
		name = tool
	}
	d.waiting = append(d.waiting, id)
	d.s.Call(id, name, loose.Object(c.ToolCall.Value.Arguments))
}

func (d *decoder) response(c *content) {
	var value struct {
		Content json.RawMessage `json:"content"`
		IsError loose.Bool      `json:"isError"`
	}
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(c.ID), Output: string(c.ToolResult.Error)}
	if b.ID == "" && len(d.waiting) > 0 {
		b.ID, d.waiting = d.waiting[0], d.waiting[1:]
	}
	raw := c.ToolResult.Value
	if json.Unmarshal(raw, &value) == nil && value.Content != nil {
		raw = value.Content
	}
	failed := bool(value.IsError) || c.ToolResult.Status == "error"
	b.Output = loose.Join(loose.Text(raw), b.Output)
	var printed struct {
		Exit *loose.Int `json:"exit_code"`
	}
	if strings.HasPrefix(b.Output, "{") && json.Unmarshal([]byte(b.Output), &printed) == nil && printed.Exit != nil {
		b.ExitCode, b.Output = loose.Code(int(*printed.Exit)), loose.Text([]byte(b.Output))
		failed = failed || *b.ExitCode != 0
	}
	refused, reply := d.phrases.Rejected(b.Output)
	b.Rejected = refused
	if failed || refused || b.ExitCode != nil {
		b.IsError = loose.Flag(failed && !refused)
	}
	d.s.Add(b)
	d.s.User(reply, d.s.Last())
}
