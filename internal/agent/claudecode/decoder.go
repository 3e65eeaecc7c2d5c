package claudecode

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

type decoder struct {
	a       *transcript.Assembler
	phrases *outcome.Phrases
	places  *places
	queue   *queue
	roles   map[string]string // roles of subagents, by the call that started them
}

func newDecoder(a *transcript.Assembler) *decoder {
	return &decoder{a: a, phrases: outcome.Default(), places: newPlaces(), queue: newQueue(), roles: map[string]string{}}
}

// Record reads one line.
func (d *decoder) Record(r record.Record) error {
	var l line
	if err := json.Unmarshal(r.Data, &l); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	if l.SessionID == "" {
		l.SessionID = l.StreamID
	}
	if l.Type == "" && l.Message == nil && l.SessionID == "" {
		return fmt.Errorf("not a line of a session: it has no type")
	}
	s := d.session(&l)
	if l.Type == "progress" && l.Data != nil {
		d.progress(s, &l)
	} else {
		d.line(s, &l)
	}
	d.places.put(string(l.UUID), s)
	return nil
}

// End leaves what is still queued to a turn that did not follow; every turn ends with its last line.
func (d *decoder) End() {
	d.dequeued(d.a.Main())
	for _, text := range d.queue.waiting {
		d.a.Main().User(text, time.Time{})
	}
}

// dequeued adds what was dequeued but not repeated by a user line.
func (d *decoder) dequeued(s *transcript.Session) {
	for _, text := range d.queue.opened() {
		s.User(text, time.Time{})
	}
}

// session returns the session that a line belongs to: a subagent's lines have its id or, in old files, are
// on a side chain.
func (d *decoder) session(l *line) *transcript.Session {
	if l.AgentID != "" && string(l.SessionID) == "agent-"+string(l.AgentID) {
		s := d.a.Session(string(l.SessionID)) // a subagent's file that does not name its parent
		s.SetAgent(string(l.AgentID))
		s.SetArchetype(string(l.AttributionAgent))
		d.note(s, l)
		return s
	}
	s := d.a.Session(string(l.SessionID))
	switch {
	case l.AgentID != "" && bool(l.IsSidechain):
		s = d.a.Sub(s, string(l.AgentID))
		s.SetArchetype(string(l.AttributionAgent))
	case l.ParentCall != "":
		s = d.a.Sub(s, string(l.ParentCall))
		s.SetArchetype(d.roles[string(l.ParentCall)])
	case bool(l.IsSidechain):
		if known := d.places.session(string(l.ParentUUID)); known != nil && l.ParentUUID != "" {
			s = known
		} else if l.UUID != "" {
			s = d.a.Sub(s, string(l.UUID))
		}
	}
	d.note(s, l)
	return s
}

func (d *decoder) note(s *transcript.Session, l *line) {
	s.SetWorkspace(string(l.CWD))
	s.Saw(l.Timestamp.Time)
}

// progress follows a subagent whose messages are inline.
func (d *decoder) progress(s *transcript.Session, l *line) {
	inner := l.Data.line()
	if inner == nil || l.Data.AgentID == "" {
		return
	}
	sub := d.a.Sub(s, string(l.Data.AgentID))
	sub.SetArchetype(d.roles[string(l.ProgressOf)])
	sub.SetWorkspace(string(l.CWD))
	if inner.Timestamp.IsZero() {
		inner.Timestamp = l.Timestamp
	}
	d.line(sub, inner)
}

func (d *decoder) line(s *transcript.Session, l *line) {
	at := l.Timestamp.Time
	switch l.Type {
	case "assistant":
		d.assistant(s, l, at)
	case "user":
		d.user(s, l, at)
	case "system":
		if l.Subtype == "compact_boundary" {
			s.Compacted()
		}
	case "queue-operation", "attachment":
		d.queued(s, l)
	case "tool_use":
		s.Begin(string(l.UUID), at)
		s.Call(string(l.UUID), string(l.Name), loose.Object(l.Input))
	case "tool_result":
		s.Add(sessionevents.Block{Type: sessionevents.BlockToolResult, Output: loose.Text(l.Output)})
	default:
		if !aside[string(l.Type)] {
			s.Unknown(string(l.Type))
		}
	}
}

// aside are types of lines that are not about the agent's actions.
var aside = names(
	"progress", "summary", "file-history-snapshot", "permission-mode", "mode", "pr-link", "frame-link",
	"result", "rate_limit_event", "stream_event",
	"ai-title", "custom-title", "agent-name", "agent-color", "last-prompt", "started", "relocated",
	"worktree-state", "bridge-session", "atis-latch", "tag",
)

// asideParts are parts of messages that are neither text nor calls.
var asideParts = names("image", "document", "redacted_thinking", "fallback", "container_upload")

func names(list ...string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, name := range list {
		set[name] = true
	}
	return set
}

func (d *decoder) assistant(s *transcript.Session, l *line, at time.Time) {
	m := l.Message
	if m == nil {
		return
	}
	if m.Model == "<synthetic>" { // written by the harness, not the model
		if bool(l.IsAPIError) || l.APIError != "" {
			s.Fail(transcript.StopAPIError, at)
		}
		return
	}
	if s == d.a.Main() {
		d.dequeued(s)
	}
	id := m.ID
	if id == "" {
		id = string(l.UUID)
	}
	s.Begin(id, at)
	s.SetModel(m.Model)
	for i := range m.Content {
		d.said(s, &m.Content[i])
	}
	s.Usage(m.Usage.events())
	s.Stop(m.StopReason)
}

func (d *decoder) said(s *transcript.Session, p *loose.Part) {
	switch p.Type {
	case "text":
		s.Text(p.Text)
	case "thinking":
		s.Thinking(p.Thinking)
	case "tool_use", "server_tool_use", "mcp_tool_use":
		d.noteRole(p)
		s.Call(string(p.ID), string(p.Name), loose.Object(p.Input))
	case "web_search_tool_result", "web_fetch_tool_result", "mcp_tool_result":
		s.Add(sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(p.ToolUseID), Output: loose.Text(p.Content)})
	default:
		if !asideParts[p.Type] {
			s.Unknown(p.Type)
		}
	}
}

// maxRoles limits the subagents whose roles are remembered.
const maxRoles = 1000

// noteRole remembers which kind of subagent a call starts.
func (d *decoder) noteRole(p *loose.Part) {
	if p.Name != "Task" && p.Name != "Agent" {
		return
	}
	var input struct {
		Role loose.String `json:"subagent_type"`
	}
	if json.Unmarshal(p.Input, &input) == nil && input.Role != "" && len(d.roles) < maxRoles {
		d.roles[string(p.ID)] = string(input.Role)
	}
}

// user reads a user line: tool results, which belong to the open turn, and what the person said, which
// belongs to the next one (SW-1).
func (d *decoder) user(s *transcript.Session, l *line, at time.Time) {
	if l.Message == nil {
		return
	}
	if l.IsCompactSummary {
		s.Compacted()
		return
	}
	for i := range l.Message.Content {
		p := &l.Message.Content[i]
		switch p.Type {
		case "tool_result":
			d.result(s, l, p, at)
		case "text":
			d.prompt(s, l, p.Text, at)
		default:
			if !asideParts[p.Type] {
				s.Unknown(p.Type)
			}
		}
	}
}

func (d *decoder) prompt(s *transcript.Session, l *line, text string, at time.Time) {
	interrupted := d.phrases.Interrupted(text)
	d.queue.prompted(text, interrupted)
	if interrupted {
		s.Stop("interrupted")
		return
	}
	person := l.Origin.Kind == "" || l.Origin.Kind == "human" || l.Origin.Kind == "cli"
	if bool(l.IsMeta) || !person {
		return
	}
	if text = d.phrases.UserText(text); text == "" {
		return
	}
	if from := d.places.rewound(string(l.ParentUUID), s); from != "" {
		s.Fork(from)
	}
	s.User(text, at)
}

const maxPlaces = 32768 // lines remembered to follow parentUuid

// places remembers the sessions of lines, so that a side chain finds its session and a prompt that branches
// from an older turn is recognised as a rewind (SW-1a).
type places struct {
	of    map[string]place
	order []string
	next  int // index of the oldest, once it is full
}

type place struct {
	session *transcript.Session
	turn    string // the open turn at that line
}

func newPlaces() *places { return &places{of: map[string]place{}} }

func (p *places) put(uuid string, s *transcript.Session) {
	if uuid == "" {
		return
	}
	if _, known := p.of[uuid]; !known {
		if len(p.order) < maxPlaces {
			p.order = append(p.order, uuid)
		} else {
			delete(p.of, p.order[p.next])
			p.order[p.next] = uuid
			p.next = (p.next + 1) % maxPlaces
		}
	}
	p.of[uuid] = place{s, s.Current()}
}

// session returns the session of the line uuid, nil if it is not known.
func (p *places) session(uuid string) *transcript.Session { return p.of[uuid].session }

// rewound returns the turn that a prompt with this parent branches from, "" if it continues the open turn.
func (p *places) rewound(parent string, s *transcript.Session) string {
	at, known := p.of[parent]
	if !known || at.session != s || at.turn == "" || at.turn == s.Current() {
		return ""
	}
	return at.turn
}
