package kimi

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

// Transcript recognises and reads Kimi Code's wire files.
var Transcript = transcript.Format{
	Name: Name, Title: "Kimi Code session (JSONL)",
	Signs:     "`protocol_version`, or types such as `context.append_loop_event`",
	Limits:    `a step is a turn`,
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default(), refused: map[string]bool{}}
	},
}

func confidence(p record.Probe) int {
	switch {
	case p.Is("type", "metadata") && p.Has("protocol_version"):
		return 85
	case p.Is("type", "context.append_loop_event", "context.append_message", "turn.prompt") && p.Has("time"):
		return 90
	}
	return 0
}

type line struct {
	Type      loose.String `json:"type"`
	Time      loose.Time   `json:"time"`
	CreatedAt loose.Time   `json:"created_at"`
	CWD       loose.String `json:"cwd"`
	Model     loose.String `json:"model"`
	Alias     loose.String `json:"modelAlias"`
	Message   struct {
		Role    loose.String `json:"role"`
		Content loose.Parts  `json:"content"`
		Origin  struct {
			Kind loose.String `json:"kind"`
			Name loose.String `json:"name"`
		} `json:"origin"`
	} `json:"message"`
	Event      loopEvent    `json:"event"`
	ToolCallID loose.String `json:"toolCallId"`
	Result     struct {
		Decision loose.String `json:"decision"`
		Feedback loose.String `json:"feedback"`
	} `json:"result"`
}

type loopEvent struct {
	Type       loose.String    `json:"type"`
	UUID       loose.String    `json:"uuid"`
	Part       loose.Part      `json:"part"`
	ToolCallID loose.String    `json:"toolCallId"`
	Name       loose.String    `json:"name"`
	Args       json.RawMessage `json:"args"`
	Finish     loose.String    `json:"finishReason"`
	Usage      *usage          `json:"usage"`
	Result     struct {
		Output  json.RawMessage `json:"output"`
		IsError loose.Bool      `json:"isError"`
	} `json:"result"`
}

type usage struct {
	Other  loose.Int `json:"inputOther"`
	Output loose.Int `json:"output"`
	Read   loose.Int `json:"inputCacheRead"`
	Write  loose.Int `json:"inputCacheCreation"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
	refused map[string]bool // calls that a person refused
}

// Record reads one line.
func (d *decoder) Record(r record.Record) error {
	var l line
	if err := json.Unmarshal(r.Data, &l); err != nil {
		return fmt.Errorf("not a line of a session: %w", err)
	}
	d.s.Saw(l.CreatedAt.Time)
	d.s.Saw(l.Time.Time)
	switch l.Type {
	case "config.update", "profile.bind":
		d.s.SetModel(string(l.Alias))
		d.s.SetWorkspace(string(l.CWD))
	case "llm.request":
		d.s.SetModel(string(l.Model))
	case "context.append_message":
		d.message(&l)
	case "context.append_loop_event":
		d.event(&l)
	case "context.apply_compaction":
		d.s.Compacted()
	case "turn.cancel":
		d.s.Stop("interrupted")
	case "permission.record_approval_result":
		if l.Result.Decision == "rejected" && len(d.refused) < 1000 {
			d.refused[string(l.ToolCallID)] = true
			d.s.User(string(l.Result.Feedback), l.Time.Time)
		}
	default:
		if family, _, _ := strings.Cut(string(l.Type), "."); !aside[family] {
			d.s.Unknown(string(l.Type))
		}
	}
	return nil
}

// aside are families of lines that are not about the agent's actions, apart from those that are read.
var aside = map[string]bool{
	"metadata": true, "config": true, "profile": true, "llm": true, "turn": true, "permission": true,
	"usage": true, "tools": true, "full_compaction": true,
	"plan_mode": true, "goal": true, "swarm_mode": true, "mcp": true,
	"plugin": true, "runtime": true, "token_counting": true,
}

// End has nothing to complete: every turn ends with its last line.
func (d *decoder) End() {}

// message adds what the person said; for a subagent, that is its parent.
func (d *decoder) message(l *line) {
	asked := l.Message.Origin.Kind == "user" || l.Message.Origin.Kind == "" || l.Message.Origin.Name == "subagent"
	if l.Message.Role == "user" && asked {
		d.s.User(d.phrases.UserText(l.Message.Content.Text()), l.Time.Time)
	}
}

func (d *decoder) event(l *line) {
	e := &l.Event
	switch e.Type {
	case "step.begin":
		d.s.Begin(string(e.UUID), l.Time.Time)
	case "content.part":
		d.s.Thinking(e.Part.Think)
		d.s.Text(e.Part.Text)
	case "tool.call":
		d.s.Call(string(e.ToolCallID), string(e.Name), loose.Object(e.Args))
	case "tool.result":
		d.result(e)
	case "step.end":
		d.s.Stop(string(e.Finish))
		if u := e.Usage; u != nil {
			d.s.Usage(&sessionevents.Usage{InputTokens: int64(u.Other), OutputTokens: int64(u.Output), CacheRead: int64(u.Read), CacheWrite: int64(u.Write)})
		}
	default:
		d.s.Unknown(string(e.Type))
	}
}

func (d *decoder) result(e *loopEvent) {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(e.ToolCallID), Output: loose.Text(e.Result.Output)}
	refused, _ := d.phrases.Rejected(b.Output)
	b.Rejected = d.refused[b.ID] || bool(e.Result.IsError) && refused
	delete(d.refused, b.ID)
	b.IsError = loose.Flag(bool(e.Result.IsError) && !b.Rejected)
	if *b.IsError {
		b.ExitCode = outcome.CodeAfter(text.Tail(b.Output, 80), "Command failed with exit code")
	}
	if b.ExitCode == nil && strings.HasPrefix(b.Output, "Exit code: ") {
		b.ExitCode = outcome.CodeAfter(b.Output, "Exit code: ")
	}
	d.s.Add(b)
}
