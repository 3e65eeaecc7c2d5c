package claudecode

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/loose"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// line is what is read of one line of any type.
type line struct {
	Type             loose.String    `json:"type"`
	Subtype          loose.String    `json:"subtype"`
	UUID             loose.String    `json:"uuid"`
	ParentUUID       loose.String    `json:"parentUuid"`
	SessionID        loose.String    `json:"sessionId"`
	AgentID          loose.String    `json:"agentId"`
	AttributionAgent loose.String    `json:"attributionAgent"`
	IsSidechain      loose.Bool      `json:"isSidechain"`
	IsMeta           loose.Bool      `json:"isMeta"`
	IsCompactSummary loose.Bool      `json:"isCompactSummary"`
	CWD              loose.String    `json:"cwd"`
	Timestamp        loose.Time      `json:"timestamp"`
	RequestID        loose.String    `json:"requestId"`
	Origin           origin          `json:"origin"`
	ToolDenialKind   loose.String    `json:"toolDenialKind"`
	Message          *message        `json:"message"`
	ToolUseResult    json.RawMessage `json:"toolUseResult"`
	Data             *progress       `json:"data"`

	// Calls and results as lines of their own (drafts of version 1.9).
	Name   loose.String    `json:"name"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

// origin says who wrote a user message; absent means a person.
type origin struct {
	Kind string
}

// UnmarshalJSON reads an object with a kind; anything else is empty.
func (o *origin) UnmarshalJSON(b []byte) error {
	var v struct {
		Kind loose.String `json:"kind"`
	}
	if json.Unmarshal(b, &v) == nil {
		o.Kind = string(v.Kind)
	}
	return nil
}

// message is the API's message. A message that is not an object is empty.
type message struct {
	ID         string
	Role       string
	Model      string
	StopReason string
	Usage      *usage
	Content    loose.Parts
}

// UnmarshalJSON never fails on a type.
func (m *message) UnmarshalJSON(b []byte) error {
	var v struct {
		ID         loose.String `json:"id"`
		Role       loose.String `json:"role"`
		Model      loose.String `json:"model"`
		StopReason loose.String `json:"stop_reason"`
		Usage      *usage       `json:"usage"`
		Content    loose.Parts  `json:"content"`
	}
	if json.Unmarshal(b, &v) == nil {
		*m = message{string(v.ID), string(v.Role), string(v.Model), string(v.StopReason), v.Usage, v.Content}
	}
	return nil
}

type usage struct {
	Input      loose.Int `json:"input_tokens"`
	Output     loose.Int `json:"output_tokens"`
	CacheRead  loose.Int `json:"cache_read_input_tokens"`
	CacheWrite loose.Int `json:"cache_creation_input_tokens"`
}

func (u *usage) events() *events.Usage {
	if u == nil {
		return nil
	}
	return &events.Usage{
		InputTokens: int64(u.Input), OutputTokens: int64(u.Output),
		CacheRead: int64(u.CacheRead), CacheWrite: int64(u.CacheWrite),
	}
}

// progress is the data of a progress line: a subagent's message told inline.
type progress struct {
	Type    loose.String    `json:"type"`
	AgentID loose.String    `json:"agentId"`
	Message json.RawMessage `json:"message"` // a line; other kinds put text here
}

// line reads the inline line of a subagent, nil when there is none.
func (p *progress) line() *line {
	var l line
	if p.Type != "agent_progress" || json.Unmarshal(p.Message, &l) != nil || l.Message == nil {
		return nil
	}
	return &l
}
