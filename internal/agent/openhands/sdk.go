package openhands

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// sdkEvent holds what events of the agent SDK have in addition to the fields of version 0.
type sdkEvent struct {
	Kind       loose.String `json:"kind"`
	LLMMessage struct {
		Content   loose.Parts  `json:"content"`
		Reasoning loose.String `json:"reasoning_content"`
	} `json:"llm_message"`
	ResponseID loose.String `json:"llm_response_id"`
	Thought    loose.Parts  `json:"thought"`
	Reasoning  loose.String `json:"reasoning_content"`
	ToolName   loose.String `json:"tool_name"`
	ToolCallID loose.String `json:"tool_call_id"`
	ToolCall   struct {
		Arguments json.RawMessage `json:"arguments"`
		Function  struct {
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_call"`
	Error  loose.String `json:"error"`
	Reason loose.String `json:"rejection_reason"`
}

func (d *decoder) sdk(e *event) {
	at := e.Timestamp.Time
	switch e.Kind {
	case "MessageEvent":
		if e.Source == "user" {
			d.s.User(d.phrases.UserText(e.LLMMessage.Content.Text()), at)
			return
		}
		d.begin(string(e.ResponseID), e)
		d.s.Thinking(string(e.LLMMessage.Reasoning))
		d.s.Text(e.LLMMessage.Content.Text())
	case "ActionEvent":
		d.begin(string(e.ResponseID), e)
		d.s.Thinking(string(e.Reasoning))
		d.s.Text(e.Thought.Text())
		input := e.ToolCall.Arguments
		if len(input) == 0 {
			input = e.ToolCall.Function.Arguments
		}
		d.s.Call(string(e.ToolCallID), string(e.ToolName), loose.Object(input))
	case "ObservationEvent", "AgentErrorEvent", "UserRejectObservation":
		d.sdkResult(e)
	case "ConversationErrorEvent":
		d.s.Fail(transcript.StopError, at)
		d.ended = true
	case "Condensation":
		d.s.Compacted()
	case "SystemPromptEvent", "ConversationStateUpdateEvent", "CondensationRequest", "CondensationSummaryEvent",
		"PauseEvent", "TokenEvent",
		"LLMCompletionLogEvent", "StreamingDeltaEvent", "HookExecutionEvent", "InterruptEvent", "ACPToolCallEvent":
	default:
		d.s.Unknown(string(e.Kind))
	}
}

func (d *decoder) sdkResult(e *event) {
	var o struct {
		ExitCode *loose.Int `json:"exit_code"`
		IsError  loose.Bool `json:"is_error"`
	}
	_ = json.Unmarshal(e.Observation, &o)
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(e.ToolCallID), Output: loose.Text(e.Observation)}
	b.Output = loose.Join(b.Output, string(e.Error)+string(e.Reason))
	if o.ExitCode != nil && *o.ExitCode >= 0 {
		b.ExitCode = loose.Code(int(*o.ExitCode))
	}
	b.Rejected = e.Kind == "UserRejectObservation"
	failed := bool(o.IsError) || e.Kind == "AgentErrorEvent" || b.ExitCode != nil && *b.ExitCode != 0
	b.IsError = loose.Flag(failed && !b.Rejected)
	d.s.Add(b)
	d.s.User(string(e.Reason), e.Timestamp.Time)
	d.ended = true
}
