package chat

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// line holds the fields of a message or event in any dialect.
type line struct {
	Type       loose.String    `json:"type"`
	Role       loose.String    `json:"role"`
	ID         loose.String    `json:"id"`
	UUID       loose.String    `json:"uuid"`
	SessionID  loose.String    `json:"session_id"`
	SessionID2 loose.String    `json:"sessionId"`
	Timestamp  loose.Time      `json:"timestamp"`
	CreatedAt  loose.Time      `json:"created_at"`
	TS         loose.Time      `json:"ts"`
	CWD        loose.String    `json:"cwd"`
	Model      loose.String    `json:"model"`
	ModelID    loose.String    `json:"modelId"`
	ModelID2   loose.String    `json:"model_id"`
	Message    json.RawMessage `json:"message"` // the message inside an envelope, or text
	Content    loose.Parts     `json:"content"`
	Parts      loose.Parts     `json:"parts"`
	Text       loose.String    `json:"text"`
	FinalText  loose.String    `json:"finalText"`
	Summary    loose.Parts     `json:"summary"`
	Reasoning  loose.String    `json:"reasoning"`
	Reasoning2 loose.String    `json:"reasoning_content"`
	Synthetic  loose.String    `json:"synthetic_reason"`

	ToolCalls  []call          `json:"tool_calls"`
	Function   *function       `json:"function"`
	Name       loose.String    `json:"name"`
	ToolName   loose.String    `json:"toolName"`
	ToolName2  loose.String    `json:"tool_name"`
	Arguments  json.RawMessage `json:"arguments"`
	Input      json.RawMessage `json:"input"`
	Parameters json.RawMessage `json:"parameters"`

	CallID   loose.String    `json:"toolCallId"`
	CallID2  loose.String    `json:"tool_call_id"`
	CallID3  loose.String    `json:"tool_use_id"`
	CallID4  loose.String    `json:"call_id"`
	Result   json.RawMessage `json:"result"`
	Output   json.RawMessage `json:"output"`
	Value    json.RawMessage `json:"value"`
	IsError  *loose.Bool     `json:"isError"`
	IsError2 *loose.Bool     `json:"is_error"`

	Stop  loose.String `json:"stopReason"`
	Stop2 loose.String `json:"stop_reason"`
	Stop3 loose.String `json:"finish_reason"`
	Usage usage        `json:"usage"`
	Info  struct {
		CWD loose.String `json:"cwd"`
	} `json:"model_config"`
	Kind         json.RawMessage `json:"kind"` // for a call that the service made itself
	SessionStart loose.Time      `json:"session_start"`
}

type call struct {
	ID        loose.String    `json:"id"`
	CallID    loose.String    `json:"call_id"`
	Name      loose.String    `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Args      json.RawMessage `json:"args"`
	Input     json.RawMessage `json:"input"`
	Function  *function       `json:"function"`
}

type function struct {
	Name      loose.String    `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// usage holds token counts under the names of several APIs.
type usage struct {
	Input      loose.Int `json:"input_tokens"`
	Input2     loose.Int `json:"input"`
	Input3     loose.Int `json:"prompt_tokens"`
	Output     loose.Int `json:"output_tokens"`
	Output2    loose.Int `json:"output"`
	Output3    loose.Int `json:"completion_tokens"`
	CacheRead  loose.Int `json:"cache_read_input_tokens"`
	CacheRead2 loose.Int `json:"cacheRead"`
	CacheMade  loose.Int `json:"cache_creation_input_tokens"`
	CacheMade2 loose.Int `json:"cacheWrite"`
}

func (u *usage) events() *sessionevents.Usage {
	return &sessionevents.Usage{
		InputTokens:  int64(max(u.Input, u.Input2, u.Input3)),
		OutputTokens: int64(max(u.Output, u.Output2, u.Output3)),
		CacheRead:    int64(max(u.CacheRead, u.CacheRead2)),
		CacheWrite:   int64(max(u.CacheMade, u.CacheMade2)),
	}
}

// either returns the first text that is not empty.
func either(texts ...loose.String) string {
	for _, t := range texts {
		if t != "" {
			return string(t)
		}
	}
	return ""
}

// value returns the first JSON value that is present.
func value(values ...json.RawMessage) json.RawMessage {
	for _, v := range values {
		if len(v) > 0 && string(v) != "null" {
			return v
		}
	}
	return nil
}
