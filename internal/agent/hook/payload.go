package hook

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
)

// payload holds the input of hooks in all dialects; a field of another type than expected is empty.
type payload struct {
	Session      loose.String    `json:"session_id"`
	Conversation loose.String    `json:"conversation_id"` // Cursor
	Event        loose.String    `json:"hook_event_name"`
	Transcript   loose.String    `json:"transcript_path"`
	CWD          loose.String    `json:"cwd"`
	Roots        json.RawMessage `json:"workspace_roots"` // Cursor
	Model        loose.String    `json:"model"`
	AgentID      loose.String    `json:"agent_id"`
	AgentType    loose.String    `json:"agent_type"`
	SubagentID   loose.String    `json:"subagent_id"`   // Cursor
	SubagentType loose.String    `json:"subagent_type"` // Cursor

	Source loose.String `json:"source"` // for a session's start
	Status loose.String `json:"status"` // for a response's end (Cursor): completed, aborted, error
	Reason loose.String `json:"reason"` // for its end

	Prompt      loose.String `json:"prompt"`
	Task        loose.String `json:"task"` // for a Cursor subagent
	LastMessage loose.String `json:"last_assistant_message"`
	Response    loose.String `json:"prompt_response"` // Gemini
	Text        loose.String `json:"text"`            // Cursor
	Summary     loose.String `json:"summary"`         // for a Cursor subagent

	Message loose.String `json:"message_id"`
	Index   loose.Int    `json:"index"`
	Final   loose.Bool   `json:"final"`
	Delta   loose.String `json:"delta"`

	tool
	Calls json.RawMessage `json:"tool_calls"` // for a batch
}

// tool is one tool call with its outcome.
type tool struct {
	ID          loose.String    `json:"tool_use_id"`
	Name        loose.String    `json:"tool_name"`
	Input       json.RawMessage `json:"tool_input"`
	Outcome     json.RawMessage `json:"tool_response"`
	Output      json.RawMessage `json:"tool_output"` // Cursor
	Object      json.RawMessage `json:"tool_result"` // Copilot CLI
	Error       json.RawMessage `json:"error"`
	ErrorText   loose.String    `json:"error_message"` // Cursor
	Failure     loose.String    `json:"failure_type"`  // Cursor: error, timeout, permission_denied
	Interrupted loose.Bool      `json:"is_interrupt"`
}

// calls returns the calls of a batch.
func (p *payload) calls() (out []tool) {
	if err := json.Unmarshal(p.Calls, &out); err != nil && !loose.Mismatch(err) {
		return nil
	}
	return out
}

// workspace returns the folder that the agent works in.
func (p *payload) workspace() string {
	var roots []loose.String
	if err := json.Unmarshal(p.Roots, &roots); (err == nil || loose.Mismatch(err)) && len(roots) > 0 {
		return string(roots[0])
	}
	return string(p.CWD)
}
