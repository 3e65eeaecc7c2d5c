package claudecode

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// line holds the fields of a line of any type. The types of members vary with version and damage; one of an
// unexpected type is left empty.
type line struct {
	Type             loose.String  `json:"type"`
	Subtype          loose.String  `json:"subtype"`
	UUID             loose.String  `json:"uuid"`
	ParentUUID       loose.String  `json:"parentUuid"`
	SessionID        loose.String  `json:"sessionId"`
	StreamID         loose.String  `json:"session_id"`         // from --output-format stream-json
	ParentCall       loose.String  `json:"parent_tool_use_id"` // there, the call that a subagent answers
	ProgressOf       loose.String  `json:"parentToolUseID"`    // the same, in a progress line
	AgentID          loose.String  `json:"agentId"`
	AttributionAgent loose.String  `json:"attributionAgent"`
	IsSidechain      loose.Bool    `json:"isSidechain"`
	IsMeta           loose.Bool    `json:"isMeta"`
	IsCompactSummary loose.Bool    `json:"isCompactSummary"`
	CWD              loose.String  `json:"cwd"`
	Timestamp        loose.Time    `json:"timestamp"`
	RequestID        loose.String  `json:"requestId"`
	Origin           origin        `json:"origin"`
	IsAPIError       loose.Bool    `json:"isApiErrorMessage"`
	APIError         loose.String  `json:"error"` // the same in --output-format stream-json
	ToolDenialKind   loose.String  `json:"toolDenialKind"`
	Message          *message      `json:"message"`
	ToolUseResult    toolUseResult `json:"toolUseResult"`
	Data             *progress     `json:"data"`
	Operation        loose.String  `json:"operation"` // for a queue-operation
	Attachment       attachment    `json:"attachment"`

	// Content is what was queued.
	Content json.RawMessage `json:"content"`

	// Calls and results on lines of their own (drafts of version 1.9).
	Name   loose.String    `json:"name"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

// origin names the author of a user message; absent means a person.
type origin struct {
	Kind loose.String `json:"kind"`
}

// attachment is what the harness adds to a response; a queued command is a message that was typed while the
// agent worked.
type attachment struct {
	Type        loose.String    `json:"type"`
	Prompt      json.RawMessage `json:"prompt"`
	CommandMode loose.String    `json:"commandMode"`
	Origin      origin          `json:"origin"`
}

// message is the API's message.
type message struct {
	ID         string      `json:"id"`
	Role       string      `json:"role"`
	Model      string      `json:"model"`
	StopReason string      `json:"stop_reason"`
	Usage      *usage      `json:"usage"`
	Content    loose.Parts `json:"content"`
}

type usage struct {
	Input      loose.Int `json:"input_tokens"`
	Output     loose.Int `json:"output_tokens"`
	CacheRead  loose.Int `json:"cache_read_input_tokens"`
	CacheWrite loose.Int `json:"cache_creation_input_tokens"`
}

func (u *usage) events() *sessionevents.Usage {
	if u == nil {
		return nil
	}
	return &sessionevents.Usage{
		InputTokens: int64(u.Input), OutputTokens: int64(u.Output),
		CacheRead: int64(u.CacheRead), CacheWrite: int64(u.CacheWrite),
	}
}

// progress is the data of a progress line: a subagent's message, inline.
type progress struct {
	Type    loose.String    `json:"type"`
	AgentID loose.String    `json:"agentId"`
	Message json.RawMessage `json:"message"` // a line; other kinds put text here
}

// line returns the inline line of a subagent, nil if there is none.
func (p *progress) line() *line {
	var l line
	if p.Type != "agent_progress" {
		return nil
	}
	if err := json.Unmarshal(p.Message, &l); err != nil && !loose.Mismatch(err) || l.Message == nil {
		return nil
	}
	return &l
}
