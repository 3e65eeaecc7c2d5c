package crush

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

// Transcript recognises and reads a session as Crush prints it.
var Transcript = transcript.Format{
	Name: Name, Title: "Crush session (JSON, `crush session show --json`)",
	Signs:     "`meta` with `uuid` and `total_tokens`, and messages with `parts`",
	Limits:    "times are of messages; the folder of the session is not in it",
	Recognise: recognise,
	Members:   record.Members{Stream: []string{"messages"}, Keep: []string{"meta"}},
	Native:    "messages",
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default()}
	},
}

func recognise(h transcript.Head) int {
	return transcript.Best(h, func(p record.Probe) int {
		if p.Has("meta.uuid", "meta.total_tokens") && (p.Has("messages[].parts") || p.Is("messages", "[")) {
			return 90
		}
		return 0
	})
}

type message struct {
	ID      loose.String `json:"id"`
	Role    loose.String `json:"role"`
	Created loose.Time   `json:"created"`
	Model   loose.String `json:"model"`
	Parts   []part       `json:"parts"`
}

type part struct {
	Type     loose.String    `json:"type"`
	Text     loose.String    `json:"text"`
	Thinking loose.String    `json:"thinking"`
	CallID   loose.String    `json:"tool_call_id"`
	Name     loose.String    `json:"name"`
	Input    json.RawMessage `json:"input"`
	Content  loose.String    `json:"content"`
	IsError  loose.Bool      `json:"is_error"`
	Reason   loose.String    `json:"reason"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
}

// Record reads a message or a member about the session.
func (d *decoder) Record(r record.Record) error {
	if r.Key == "meta" {
		var m struct {
			UUID    loose.String `json:"uuid"`
			Created loose.Time   `json:"created"`
		}
		if err := json.Unmarshal(r.Data, &m); err != nil && !loose.Mismatch(err) {
			return fmt.Errorf("member meta: %w", err)
		}
		d.s.Name(string(m.UUID))
		d.s.Saw(m.Created.Time)
		return nil
	}
	var m message
	if err := json.Unmarshal(r.Data, &m); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a message: %w", err)
	}
	d.s.Saw(m.Created.Time)
	switch m.Role {
	case "assistant":
		d.s.SetModel(string(m.Model))
		d.s.Begin(string(m.ID), m.Created.Time)
	case "user", "tool", "system":
	default:
		d.s.Unknown(string(m.Role))
		return nil
	}
	for i := range m.Parts {
		d.part(&m, &m.Parts[i])
	}
	return nil
}

// End completes nothing: all turns end with their last message.
func (d *decoder) End() {}

func (d *decoder) part(m *message, p *part) {
	switch p.Type {
	case "text":
		switch m.Role {
		case "assistant":
			d.s.Text(string(p.Text))
		case "user":
			d.phrases.Heard(d.s, string(p.Text), m.Created.Time)
		}
	case "reasoning":
		d.s.Thinking(string(p.Thinking))
	case "tool_call":
		d.s.Call(string(p.CallID), string(p.Name), loose.Object(p.Input))
	case "tool_result":
		d.result(m, p)
	case "finish":
		d.finish(m, string(p.Reason))
	case "binary", "image_url":
	default:
		d.s.Unknown(string(p.Type))
	}
}

// result adds a result. The shell writes the exit code of a failed command on its last line, before the
// folder that it ended in, and sets no flag.
func (d *decoder) result(m *message, p *part) {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(p.CallID), Output: string(p.Content)}
	if text, folder, found := strings.Cut(b.Output, "\n\n<cwd>"); found && strings.HasSuffix(folder, "</cwd>") {
		b.Output = text
		last := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
		if b.ExitCode = outcome.CodeAfter(last, "Exit code"); !strings.HasPrefix(last, "Exit code ") {
			b.ExitCode = nil
		}
		aborted := last == "Command was aborted before completion"
		if b.ExitCode == nil && !aborted {
			b.ExitCode = loose.Code(0)
		}
		p.IsError = p.IsError || loose.Bool(aborted)
	}
	reply := d.phrases.Ended(&b, bool(p.IsError))
	d.s.Add(b)
	d.s.User(reply, m.Created.Time)
}

// finish records why a response ended.
func (d *decoder) finish(m *message, reason string) {
	switch {
	case m.Role != "assistant":
	case reason == "error":
		d.s.Fail(transcript.StopAPIError, m.Created.Time)
	case reason == "canceled":
		d.s.Stop("interrupted")
	default:
		d.s.Stop(reason)
	}
}
