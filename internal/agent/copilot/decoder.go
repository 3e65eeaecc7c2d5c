package copilot

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/patch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

type line struct {
	Type      loose.String `json:"type"`
	ID        loose.String `json:"id"`
	Timestamp loose.Time   `json:"timestamp"`
	Data      data         `json:"data"`
}

// data holds the fields of an event of any type.
type data struct {
	SessionID     loose.String `json:"sessionId"`
	SelectedModel loose.String `json:"selectedModel"`
	NewModel      loose.String `json:"newModel"`
	Model         loose.String `json:"model"`
	Context       struct {
		CWD loose.String `json:"cwd"`
	} `json:"context"`

	MessageID    loose.String    `json:"messageId"`
	Content      loose.String    `json:"content"`
	Reasoning    loose.String    `json:"reasoningText"`
	OutputTokens loose.Int       `json:"outputTokens"`
	ToolRequests []request       `json:"toolRequests"`
	Parent       loose.String    `json:"parentToolCallId"`
	AgentName    loose.String    `json:"agentName"`
	Reason       loose.String    `json:"reason"`
	ToolCallID   loose.String    `json:"toolCallId"`
	ToolName     loose.String    `json:"toolName"`
	Arguments    json.RawMessage `json:"arguments"`
	Success      *loose.Bool     `json:"success"`
	Error        json.RawMessage `json:"error"`
	Result       result          `json:"result"`
}

type request struct {
	ToolCallID loose.String    `json:"toolCallId"`
	Name       loose.String    `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
}

// result is a tool's result or a permission's; plain text is its content.
type result struct {
	Content  string
	Detailed string
	Kind     string
}

// UnmarshalJSON accepts any type.
func (r *result) UnmarshalJSON(b []byte) error {
	var v struct {
		Content  json.RawMessage `json:"content"`
		Detailed loose.String    `json:"detailedContent"`
		Kind     loose.String    `json:"kind"`
	}
	if json.Unmarshal(b, &v) != nil {
		r.Content = loose.Text(b)
		return nil
	}
	r.Content, r.Detailed, r.Kind = loose.Text(v.Content), string(v.Detailed), string(v.Kind)
	return nil
}

type decoder struct {
	a       *transcript.Assembler
	phrases *outcome.Phrases
	denied  map[string]bool                // calls that were denied → by a person
	early   map[string]sessionevents.Block // calls that began before a message announced them
}

const maxWaiting = 1000 // calls waiting for their message or result

func newDecoder(a *transcript.Assembler) *decoder {
	return &decoder{a: a, phrases: outcome.Default(), denied: map[string]bool{}, early: map[string]sessionevents.Block{}}
}

// Record reads one event.
func (d *decoder) Record(r record.Record) error {
	var l line
	if err := json.Unmarshal(r.Data, &l); err != nil {
		return fmt.Errorf("not an event of a session: %w", err)
	}
	s := d.a.Main()
	if l.Data.Parent != "" {
		s = d.a.Sub(s, string(l.Data.Parent))
	}
	s.Saw(l.Timestamp.Time)
	d.event(s, &l)
	return nil
}

// End adds the calls that began without any further record.
func (d *decoder) End() {
	for _, id := range slices.Sorted(maps.Keys(d.early)) {
		d.a.Main().Add(d.early[id])
	}
}

func (d *decoder) event(s *transcript.Session, l *line) {
	e := &l.Data
	switch l.Type {
	case "session.start", "session.resume":
		s.Name(string(e.SessionID))
		s.SetModel(string(e.SelectedModel))
		s.SetWorkspace(string(e.Context.CWD))
	case "session.model_change":
		s.SetModel(string(e.NewModel))
	case "session.truncation", "session.compaction_complete":
		s.Compacted()
	case "user.message":
		s.User(d.phrases.UserText(string(e.Content)), l.Timestamp.Time)
	case "assistant.reasoning":
		s.Thinking(string(e.Content))
	case "assistant.message":
		d.message(s, l)
	case "tool.execution_start":
		d.started(s, l)
	case "tool.execution_complete":
		d.completed(s, l)
	case "permission.completed":
		if strings.HasPrefix(e.Result.Kind, "denied") && len(d.denied) < maxWaiting {
			d.denied[string(e.ToolCallID)] = strings.Contains(e.Result.Kind, "user")
		}
	case "subagent.started":
		d.a.Sub(s, string(e.ToolCallID)).SetArchetype(string(e.AgentName))
	case "session.error":
		s.Fail(transcript.StopError, l.Timestamp.Time)
	case "abort":
		s.Stop("interrupted")
	default:
		if family, _, _ := strings.Cut(string(l.Type), "."); !aside[family] && !aside[string(l.Type)] {
			s.Unknown(string(l.Type))
		}
	}
}

// aside are families of events that are not about the agent's actions, apart from those that are read.
var aside = map[string]bool{
	"session": true, "assistant": true, "hook": true, "subagent": true, "system": true, "permission": true,
	"user": true, "skill": true,
	"tool.user_requested": true, "tool.execution_partial_result": true, "tool.execution_progress": true,
	"pending_messages": true, "command": true, "elicitation": true, "external_tool": true, "capabilities": true,
	"exit_plan_mode": true, "mcp": true, "model": true,
}

func (d *decoder) message(s *transcript.Session, l *line) {
	e := &l.Data
	id := string(e.MessageID)
	if id == "" {
		id = string(l.ID)
	}
	s.SetModel(string(e.Model))
	s.Begin(id, l.Timestamp.Time)
	s.Thinking(string(e.Reasoning))
	s.Text(string(e.Content))
	for _, r := range e.ToolRequests {
		delete(d.early, string(r.ToolCallID))
		s.Call(string(r.ToolCallID), string(r.Name), loose.Object(r.Arguments))
	}
	s.Usage(&sessionevents.Usage{OutputTokens: int64(e.OutputTokens)})
}

// started remembers a call that no message has announced; it is added with its result, unless a message
// announces it before that.
func (d *decoder) started(s *transcript.Session, l *line) {
	id := string(l.Data.ToolCallID)
	if !s.Amend(sessionevents.BlockToolCall, id, func(*sessionevents.Block) {}) && len(d.early) < maxWaiting {
		d.early[id] = sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: string(l.Data.ToolName), Input: loose.Object(l.Data.Arguments)}
	}
}

func (d *decoder) completed(s *transcript.Session, l *line) {
	e := &l.Data
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(e.ToolCallID), Output: e.Result.Content}
	if b.Output == "" {
		b.Output = loose.Text(e.Error)
	}
	b.Output, b.ExitCode = shell(b.Output)
	failed := e.Success != nil && !bool(*e.Success) || b.ExitCode != nil && *b.ExitCode != 0
	byPerson, denied := d.denied[b.ID]
	refused, reply := d.phrases.Rejected(b.Output)
	b.Rejected = failed && refused || denied && byPerson
	delete(d.denied, b.ID)
	if call, early := d.early[b.ID]; early {
		s.Add(call)
		delete(d.early, b.ID)
	}
	b.IsError = loose.Flag(failed && !b.Rejected)
	if !failed && !b.Rejected {
		b.Patch = patch.Files(e.Result.Detailed)
	}
	s.Add(b)
	if b.Rejected {
		s.User(reply, l.Timestamp.Time)
	}
}

// shell parses the last line of a shell result, "<shellId: 3 completed with exit code 0>" or "<exited with
// exit code 1>", and removes it because the id counts up.
func shell(s string) (string, *int) {
	at := strings.LastIndex(text.Tail(s, 200), "<")
	if at < 0 || !strings.HasSuffix(strings.TrimSpace(s), ">") {
		return s, outcome.CodeAfter(outcome.Beginning(s, 20), "exit code: ")
	}
	at += len(s) - len(text.Tail(s, 200))
	exit := outcome.CodeAfter(s[at:], "exit code ")
	if exit == nil {
		return s, nil
	}
	return s[:at], exit
}
