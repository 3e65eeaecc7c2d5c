package dsh

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript recognises and reads session logs.
var Transcript = transcript.Format{
	Name: Name, Title: "DeepSeek Harness session (JSONL, zstd)",
	Signs:     "`session` with `createdAt` and `version`, or `seq` and `data` with a type such as `assistant/message`",
	Limits:    "versions 0 to 3 of its log; what a compaction writes in place of messages is nobody's message",
	Recognise: recognise,
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default()}
	},
}

func recognise(h transcript.Head) int {
	return transcript.Best(h, func(p record.Probe) int {
		switch {
		case p.Is("type", "session") && p.Has("version", "id", "createdAt"):
			return 90
		case p.Has("seq", "data") && p.Is("type", "user/message", "assistant/message", "tool/call", "tool/result",
			"turn/start", "step/start", "request/header"):
			return 90
		}
		return 0
	})
}

// line is the header of the log or one event.
type line struct {
	Type    loose.String    `json:"type"`
	Time    loose.Time      `json:"time"`
	Data    json.RawMessage `json:"data"`
	Surface json.RawMessage `json:"surfaceOp"` // "append", or what the event replaces
	Skipped loose.Bool      `json:"ignorable"`

	ID      loose.String `json:"id"`
	Created loose.Time   `json:"createdAt"`
	CWD     loose.String `json:"cwd"`
	Parent  loose.String `json:"parentSession"`
	Origin  loose.String `json:"origin"`
	Preset  loose.String `json:"agentPreset"`
}

type message struct {
	ID     loose.String `json:"id"`
	Source struct {
		Kind  loose.String `json:"kind"`
		Model loose.String `json:"model"`
	} `json:"source"`
	Content []part `json:"content"`
}

type part struct {
	Type      loose.String    `json:"type"`
	Text      loose.String    `json:"text"`
	ID        loose.String    `json:"id"`
	Name      loose.String    `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	CallID    loose.String    `json:"toolCallId"`
	Content   json.RawMessage `json:"content"`
	IsError   loose.Bool      `json:"isError"`
}

// event holds the data of the events that are read; a person's message is its own data.
type event struct {
	message
	Message   *message        `json:"message"`
	CallID    loose.String    `json:"callId"`
	Name      loose.String    `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Error     json.RawMessage `json:"error"` // for a call that was not run
	Model     loose.String    `json:"model"`
	Label     loose.String    `json:"label"`
	Reason    struct {
		Kind loose.String `json:"kind"`
	} `json:"reason"`
	Usage struct {
		Input  loose.Int `json:"inputTokens"`
		Output loose.Int `json:"outputTokens"`
		Read   loose.Int `json:"cacheReadTokens"`
		Write  loose.Int `json:"cacheWriteTokens"`
	} `json:"usage"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
}

// Record reads the header or an event.
func (d *decoder) Record(r record.Record) error {
	var l line
	if err := json.Unmarshal(r.Data, &l); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not an event: %w", err)
	}
	var e event
	if len(l.Data) > 0 && l.Data[0] == '{' {
		if err := json.Unmarshal(l.Data, &e); err != nil && !loose.Mismatch(err) {
			return fmt.Errorf("data of an event: %w", err)
		}
	}
	d.s.Saw(l.Created.Time)
	d.s.Saw(l.Time.Time)
	if l.Type == "session" {
		d.header(&l)
		return nil
	}
	d.event(&l, &e)
	return nil
}

// End completes nothing: all turns end with their last event.
func (d *decoder) End() {}

func (d *decoder) header(l *line) {
	if l.Origin == "subagent" {
		d.s.SetParent(string(l.Parent))
	}
	d.s.Name(string(l.ID))
	d.s.SetWorkspace(string(l.CWD))
}

func (d *decoder) event(l *line, e *event) {
	// A replacement rewrites what the model sees: a summary instead of messages, a truncated result. It is
	// not an action.
	replaced := len(l.Surface) > 0 && l.Surface[0] == '{'
	switch l.Type {
	case "user/message", "steering/message":
		d.user(l, &e.message, replaced)
	case "assistant/message":
		if e.Message != nil && !replaced {
			d.response(l, e)
		}
	case "tool/call":
		known := d.s.Amend(sessionevents.BlockToolCall, string(e.CallID), func(*sessionevents.Block) {})
		if !known && e.Name != "" {
			if d.s.HasPending() {
				d.s.Begin("", l.Time.Time)
			}
			d.s.Call(string(e.CallID), string(e.Name), loose.Object(e.Arguments))
		}
	case "tool/result":
		if e.Message != nil && !replaced {
			d.result(l, e)
		}
	case "compaction/end":
		d.s.Compacted()
	case "request/context":
		d.s.SetModel(string(e.Model))
	case "subagent/descriptor":
		d.s.SetArchetype(string(e.Label))
	case "turn/end":
		d.ended(l, string(e.Reason.Kind))
	default:
		if !aside(string(l.Type)) && !bool(l.Skipped) {
			d.s.Unknown(string(l.Type))
		}
	}
}

// asideTypes are events that are not about the agent's actions, or that duplicate a message that is read
// (its chunks, the dispatch of a call).
var asideTypes = map[string]bool{
	"turn/start": true, "step/start": true, "step/end": true, "assistant/chunk": true, "system/message": true,
	"tool/code-dispatch": true, "tool/code-dispatch-start": true, "todo/write": true, "plan/mode": true,
}

// asideFamilies are whole families of such events, by the part before the slash.
var asideFamilies = map[string]bool{
	"agent-preset": true, "agent": true, "approval": true, "command": true, "compaction": true, "feedback": true,
	"goal": true, "hook": true, "llm": true, "model": true, "permission": true, "request": true, "sandbox": true,
	"schedule": true, "session": true, "session-log-deepseek": true, "subagent": true, "team": true,
	"tool-workflow": true, "web": true, "workspace": true,
}

func aside(kind string) bool {
	family, _, _ := strings.Cut(kind, "/")
	return asideTypes[kind] || asideFamilies[family] || strings.HasSuffix(kind, "-chunks")
}

// user reads a message to the model: the person's, or one added by a plugin.
func (d *decoder) user(l *line, m *message, replaced bool) {
	if replaced {
		d.s.Compacted()
		return
	}
	var text string
	for i := range m.Content {
		switch p := &m.Content[i]; p.Type {
		case "text":
			text = loose.Join(text, string(p.Text))
		case "image", "file", "attachment":
		default:
			d.s.Unknown(string(p.Type))
		}
	}
	switch m.Source.Kind {
	case "user", "human", "":
		d.phrases.Heard(d.s, text, l.Time.Time)
	default:
		d.s.Instruct(d.phrases.Instructions(text))
	}
}

func (d *decoder) response(l *line, e *event) {
	m := e.Message
	d.s.SetModel(string(m.Source.Model))
	d.s.Begin(string(m.ID), l.Time.Time)
	for i := range m.Content {
		switch p := &m.Content[i]; p.Type {
		case "text":
			d.s.Text(string(p.Text))
		case "reasoning":
			d.s.Thinking(string(p.Text))
		case "tool-call":
			d.s.Call(string(p.ID), string(p.Name), loose.Object(p.Arguments))
		case "image", "file":
		default:
			d.s.Unknown(string(p.Type))
		}
	}
	u := &e.Usage
	d.s.Usage(&sessionevents.Usage{
		InputTokens: int64(u.Input), OutputTokens: int64(u.Output), CacheRead: int64(u.Read),
		CacheWrite: int64(u.Write),
	})
}

func (d *decoder) result(l *line, e *event) {
	for i := range e.Message.Content {
		p := &e.Message.Content[i]
		if p.Type != "tool-result" {
			d.s.Unknown(string(p.Type))
			continue
		}
		b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(p.CallID)}
		b.Output = loose.Text(p.Content)
		failed := bool(p.IsError) || len(e.Error) > 2
		b.ExitCode = d.exitCode(&b, failed)
		reply := d.phrases.Ended(&b, failed)
		d.s.Add(b)
		d.s.User(reply, l.Time.Time)
	}
}

// exitCode returns the exit code of a shell call: on the last line unless it is 0; the harness does not
// treat it as a failure of the call.
func (d *decoder) exitCode(b *sessionevents.Block, failed bool) *int {
	end := text.Tail(b.Output, 200)
	if exit := outcome.CodeAfter(end[strings.LastIndexByte(end, '\n')+1:], "[exit code: "); exit != nil {
		return exit
	}
	shell := false
	d.s.Amend(sessionevents.BlockToolCall, b.ID, func(call *sessionevents.Block) {
		shell = call.Name == "bash" || call.Name == "pwsh"
	})
	if !shell || failed || strings.HasPrefix(b.Output, "started background job") ||
		strings.Contains(end, "\n[timed out after ") || strings.Contains(end, "\n[killed by signal: ") {
		return nil
	}
	return loose.Code(0)
}

// ended records why the agent stopped.
func (d *decoder) ended(l *line, reason string) {
	switch reason {
	case "error":
		d.s.Fail(transcript.StopAPIError, l.Time.Time)
	case "aborted", "interrupted":
		d.s.Stop("interrupted")
	case "completed":
		d.s.Stop("end_turn")
	default:
		d.s.Stop(reason)
	}
}
