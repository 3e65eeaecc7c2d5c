package codex

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// line is one line: an envelope with a payload, or, in the first versions, the payload itself.
type line struct {
	Timestamp loose.Time   `json:"timestamp"`
	Type      loose.String `json:"type"`
	Payload   *item        `json:"payload"`
}

// item holds the fields of a payload of any type.
type item struct {
	Type   loose.String `json:"type"`
	ID     loose.String `json:"id"`
	CallID loose.String `json:"call_id"`

	// session_meta, turn_context
	CWD         loose.String    `json:"cwd"`
	Model       loose.String    `json:"model"`
	Source      json.RawMessage `json:"source"`
	AgentRole   loose.String    `json:"agent_role"`
	Instruction json.RawMessage `json:"instructions"`

	// messages and reasoning
	Role    loose.String `json:"role"`
	Content loose.Parts  `json:"content"`
	Summary loose.Parts  `json:"summary"`
	Message loose.String `json:"message"`
	Text    loose.String `json:"text"`

	// calls and results
	Name      loose.String    `json:"name"`
	Function  *function       `json:"function"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`
	Result    json.RawMessage `json:"result"`
	ExitCode  *loose.Int      `json:"exit_code"`
	Success   *loose.Bool     `json:"success"`
	Status    json.RawMessage `json:"status"`
	Tools     json.RawMessage `json:"tools"`

	Changes map[string]change `json:"changes"`
	Info    *info             `json:"info"`
	Item    *item             `json:"item"` // for item_completed
	Reason  loose.String      `json:"reason"`
}

type function struct {
	Name loose.String `json:"name"`
}

// change is the change of one file in patch_apply_end.
type change struct {
	Type        loose.String `json:"type"` // add, update, delete
	Content     loose.String `json:"content"`
	UnifiedDiff loose.String `json:"unified_diff"`
	MovePath    loose.String `json:"move_path"`
}

// info is a token count; last is that of the last response.
type info struct {
	Last *struct {
		Input     loose.Int `json:"input_tokens"`
		Cached    loose.Int `json:"cached_input_tokens"`
		Output    loose.Int `json:"output_tokens"`
		CacheMade loose.Int `json:"cache_write_input_tokens"`
	} `json:"last_token_usage"`
}

func (i *info) usage() *sessionevents.Usage {
	if i == nil || i.Last == nil {
		return nil
	}
	return &sessionevents.Usage{
		InputTokens: int64(i.Last.Input), OutputTokens: int64(i.Last.Output),
		CacheRead: int64(i.Last.Cached), CacheWrite: int64(i.Last.CacheMade),
	}
}
