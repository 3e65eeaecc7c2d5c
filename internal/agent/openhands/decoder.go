package openhands

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/patch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// event is an action or an observation of version 0.
type event struct {
	ID          loose.String    `json:"id"`
	Timestamp   loose.Time      `json:"timestamp"`
	Source      loose.String    `json:"source"`
	Action      loose.String    `json:"action"`
	Args        json.RawMessage `json:"args"`
	Cause       loose.String    `json:"cause"`
	Observation json.RawMessage `json:"observation"` // a word; an object in the SDK
	Content     loose.String    `json:"content"`
	Message     loose.String    `json:"message"`
	Extras      extras          `json:"extras"`
	Success     *loose.Bool     `json:"success"`
	Metadata    struct {
		FunctionName  loose.String `json:"function_name"`
		ModelResponse struct {
			ID    loose.String `json:"id"`
			Model loose.String `json:"model"`
			Usage struct {
				Input  loose.Int `json:"prompt_tokens"`
				Output loose.Int `json:"completion_tokens"`
			} `json:"usage"`
		} `json:"model_response"`
	} `json:"tool_call_metadata"`

	sdkEvent
}

type extras struct {
	ExitCode *loose.Int `json:"exit_code"`
	Metadata struct {
		ExitCode   *loose.Int   `json:"exit_code"`
		WorkingDir loose.String `json:"working_dir"`
	} `json:"metadata"`
	Path  loose.String `json:"path"`
	Diff  loose.String `json:"diff"`
	State loose.String `json:"agent_state"`
}

// args are the fields that every action may have in addition to its own.
type args struct {
	Content loose.String `json:"content"`
	Thought loose.String `json:"thought"`
	Final   loose.String `json:"final_thought"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
	ended   bool // an observation arrived: the agent's next action belongs to another response
}

// Record reads one event.
func (d *decoder) Record(r record.Record) error {
	var e event
	if err := json.Unmarshal(r.Data, &e); err != nil {
		return fmt.Errorf("not an event: %w", err)
	}
	d.s.Saw(e.Timestamp.Time)
	switch {
	case e.Kind != "":
		d.sdk(&e)
	case e.Action != "":
		d.action(&e)
	case len(e.Observation) > 0:
		d.observation(&e)
	default:
		d.s.Unsupported(sessionevents.UnsupportedRecord, "event")
	}
	return nil
}

// End has nothing to complete: every turn ends with its last event.
func (d *decoder) End() {}

// quiet actions are the harness's own.
var quiet = map[loose.String]bool{"system": true, "recall": true, "change_agent_state": true, "null": true, "condensation_request": true}

func (d *decoder) action(e *event) {
	var a args
	_ = json.Unmarshal(e.Args, &a)
	switch {
	case e.Action == "condensation":
		d.s.Compacted()
	case quiet[e.Action]:
	case e.Source == "user":
		if e.Action == "message" {
			d.s.User(d.phrases.UserText(string(a.Content)), e.Timestamp.Time)
		}
	case e.Source == "agent":
		d.agent(e, &a)
	}
}

// agent adds an action of the agent. Actions belong to one response while they name the same one or, if
// they name none, until an observation arrives.
func (d *decoder) agent(e *event, a *args) {
	m := &e.Metadata.ModelResponse
	d.begin(string(m.ID), e)
	d.s.SetModel(string(m.Model))
	d.s.Usage(&sessionevents.Usage{InputTokens: int64(m.Usage.Input), OutputTokens: int64(m.Usage.Output)})
	switch e.Action {
	case "message":
		d.s.Text(string(a.Content))
	case "think":
		d.s.Thinking(string(a.Thought))
	case "finish":
		d.s.Text(loose.Join(string(a.Thought), string(a.Final)))
		d.s.Stop("finish")
	default:
		d.s.Text(string(a.Thought))
		name := string(e.Metadata.FunctionName)
		if name == "" {
			name = string(e.Action)
		}
		d.s.Call(string(e.ID), name, without(e.Args, "thought"))
	}
}

func (d *decoder) begin(response string, e *event) {
	switch {
	case response != "":
		d.s.Begin(response, e.Timestamp.Time)
	case d.ended || d.s.HasPending():
		d.s.Begin("", e.Timestamp.Time)
	}
	d.ended = false
}

// without returns a JSON object without one member, whose text is elsewhere.
func without(object json.RawMessage, member string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields[member] == nil {
		return loose.Object(object)
	}
	delete(fields, member)
	b, err := json.Marshal(fields)
	if err != nil {
		return loose.Object(object)
	}
	return b
}

// unheard observations are not results of calls.
var unheard = map[string]bool{"agent_state_changed": true, "null": true, "recall": true, "think": true, "system": true}

// observation adds the result of the action that it names as its cause.
func (d *decoder) observation(e *event) {
	kind := loose.Text(e.Observation)
	if kind == "agent_state_changed" && e.Extras.State == "error" {
		d.s.Fail(transcript.StopError, e.Timestamp.Time)
		d.ended = true
		return
	}
	if unheard[kind] || e.Cause == "" && kind != "error" {
		return
	}
	if e.Extras.Metadata.WorkingDir != "" {
		d.s.SetWorkspace(string(e.Extras.Metadata.WorkingDir))
	}
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(e.Cause), Output: string(e.Content)}
	code := e.Extras.Metadata.ExitCode
	if code == nil {
		code = e.Extras.ExitCode
	}
	if code != nil && *code >= 0 { // -1 is a command that still runs
		b.ExitCode = loose.Code(int(*code))
	}
	b.Rejected = kind == "user_rejected"
	failed := kind == "error" || e.Success != nil && !bool(*e.Success) || b.ExitCode != nil && *b.ExitCode != 0
	b.IsError = loose.Flag(failed && !b.Rejected)
	if hunks := patch.Hunks(string(e.Extras.Diff)); kind == "edit" && !failed && len(hunks) > 0 {
		b.Patch = []sessionevents.FilePatch{{Path: string(e.Extras.Path), Op: sessionevents.DiffUpdate, Hunks: hunks}}
	}
	d.s.Add(b)
	d.ended = true
}

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
