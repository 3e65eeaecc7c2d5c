package amp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/patch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript recognises and reads Amp's threads.
var Transcript = transcript.Format{
	Name: Name, Title: "Amp thread (JSON)",
	Signs:     "`messages` with `v`, an id `T-…`, `env.initial` or `agentMode`",
	Limits:    "threads of version 1 to 12, as `amp threads export` and its storage hold them",
	Recognise: recognise,
	Members:   record.Members{Stream: []string{"messages"}, Keep: []string{"id", "env", "created"}},
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default()}
	},
}

// recognise requires a list of messages and two of the thread's own members.
func recognise(h transcript.Head) int {
	if len(h.Probes) == 0 || h.Structure == transcript.Lines || !h.Probes[0].Has("messages") {
		return 0
	}
	p, marks := h.Probes[0], 0
	for _, has := range []bool{
		p.Has("v"), strings.HasPrefix(p["id"], "T-"), p.Has("env.initial"), p.Has("agentMode"), p.Has("created",
			"title"),
		strings.Contains(string(h.Bytes), `"toolUseID"`),
	} {
		if has {
			marks++
		}
	}
	if marks >= 2 {
		return 90
	}
	return 0
}

type message struct {
	Role      loose.String `json:"role"`
	MessageID loose.String `json:"messageId"`
	Content   []content    `json:"content"`
	Meta      struct {
		SentAt loose.Time `json:"sentAt"`
	} `json:"meta"`
	State struct {
		Type loose.String `json:"type"`
		Stop loose.String `json:"stopReason"`
	} `json:"state"`
	Usage struct {
		Model     loose.String `json:"model"`
		Timestamp loose.Time   `json:"timestamp"`
		Input     loose.Int    `json:"inputTokens"`
		Output    loose.Int    `json:"outputTokens"`
		Read      loose.Int    `json:"cacheReadInputTokens"`
		Write     loose.Int    `json:"cacheCreationInputTokens"`
	} `json:"usage"`
}

type content struct {
	Type     loose.String    `json:"type"`
	Text     loose.String    `json:"text"`
	Thinking loose.String    `json:"thinking"`
	ID       loose.String    `json:"id"`
	Name     loose.String    `json:"name"`
	Input    json.RawMessage `json:"input"`
	CallID   loose.String    `json:"toolUseID"`
	Run      run             `json:"run"`
}

// run is the outcome of a call.
type run struct {
	Status loose.String    `json:"status"` // done, error, cancelled, rejected-by-user, in-progress …
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Reason loose.String    `json:"reason"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
}

// Record reads a message or a member of the thread.
func (d *decoder) Record(r record.Record) error {
	if r.Key != "" && r.Key != "messages" {
		return d.member(r)
	}
	var m message
	if err := json.Unmarshal(r.Data, &m); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a message: %w", err)
	}
	at := m.Meta.SentAt.Time
	if at.IsZero() {
		at = m.Usage.Timestamp.Time
	}
	d.s.Saw(at)
	switch m.Role {
	case "assistant":
		d.response(&m, at)
	case "user":
		for i := range m.Content {
			d.user(&m.Content[i], at)
		}
	default:
		d.s.Unknown(string(m.Role))
	}
	return nil
}

// End has nothing to complete: every turn ends with its last message.
func (d *decoder) End() {}

func (d *decoder) member(r record.Record) error {
	switch r.Key {
	case "id":
		d.s.Name(loose.Text(r.Data))
	case "created":
		var at loose.Time
		_ = at.UnmarshalJSON(r.Data)
		d.s.Saw(at.Time)
	case "env":
		var env struct {
			Initial struct {
				Trees []struct {
					URI loose.String `json:"uri"`
				} `json:"trees"`
			} `json:"initial"`
		}
		if err := json.Unmarshal(r.Data, &env); err != nil && !loose.Mismatch(err) {
			return fmt.Errorf("member env: %w", err)
		}
		if trees := env.Initial.Trees; len(trees) > 0 {
			d.s.SetWorkspace(strings.TrimPrefix(string(trees[0].URI), "file://"))
		}
	}
	return nil
}

func (d *decoder) response(m *message, at time.Time) {
	d.s.SetModel(string(m.Usage.Model))
	id := ""
	if m.MessageID != "" {
		id = "message-" + string(m.MessageID)
	}
	d.s.Begin(id, at)
	for i := range m.Content {
		c := &m.Content[i]
		switch c.Type {
		case "text":
			d.s.Text(string(c.Text))
		case "thinking":
			d.s.Thinking(string(c.Thinking))
		case "tool_use", "server_tool_use":
			d.s.Call(string(c.ID), string(c.Name), loose.Object(c.Input))
		case "redacted_thinking", "image":
		default:
			d.s.Unknown(string(c.Type))
		}
	}
	u := &m.Usage
	d.s.Usage(&sessionevents.Usage{
		InputTokens: int64(u.Input), OutputTokens: int64(u.Output), CacheRead: int64(u.Read),
		CacheWrite: int64(u.Write),
	})
	d.s.Stop(string(m.State.Stop))
	if m.State.Type == "cancelled" {
		d.s.Stop("interrupted")
	}
}

func (d *decoder) user(c *content, at time.Time) {
	switch c.Type {
	case "text":
		d.phrases.Heard(d.s, string(c.Text), at)
	case "tool_result":
		d.result(c, at)
	case "image", "summary":
	default:
		d.s.Unknown(string(c.Type))
	}
}

func (d *decoder) result(c *content, at time.Time) {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(c.CallID)}
	var r struct {
		ExitCode *loose.Int    `json:"exitCode"`
		Diff     loose.String  `json:"diff"`
		Output   *loose.String `json:"output"`
	}
	switch c.Run.Status {
	case "in-progress", "queued", "blocked-on-user":
		return // it never arrived
	}
	b.Output = loose.Join(loose.Text(c.Run.Result), loose.Text(c.Run.Error))
	if len(c.Run.Result) > 0 && c.Run.Result[0] == '{' && json.Unmarshal(c.Run.Result, &r) == nil {
		if r.ExitCode != nil {
			b.ExitCode = loose.Code(int(*r.ExitCode))
		}
		if r.Output != nil {
			b.Output = loose.Join(string(*r.Output), loose.Text(c.Run.Error))
		}
		if b.Patch = patch.Files(string(r.Diff)); r.Diff != "" && r.Output == nil {
			b.Output = string(r.Diff)
		}
	}
	b.Rejected = strings.HasPrefix(string(c.Run.Status), "rejected") || c.Run.Status == "cancelled"
	failed := c.Run.Status == "error" || b.ExitCode != nil && *b.ExitCode != 0
	b.IsError = loose.Flag(failed && !b.Rejected)
	if failed || b.Rejected {
		b.Patch = nil
	}
	d.s.Add(b)
	if b.Rejected {
		d.s.User(string(c.Run.Reason), at)
	}
}
