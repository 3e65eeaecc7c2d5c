package hook

import (
	"encoding/json"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Kind is the meaning of a hook, independent of the agent.
type Kind struct {
	point  Point
	border hookturn.Border
	// subagent marks a hook about a subagent, which is ignored without its name.
	subagent bool
	chunks   bool // a message is streamed in pieces
	// call adds the hook's information about the turn, except for its border.
	call func(*hookturn.Call, *Event)
}

// Kinds of hooks.
var (
	SessionStart  = &Kind{point: PointOther, call: sessionStart}
	SessionEnd    = &Kind{point: PointEnd, call: sessionEnd}
	Prompt        = &Kind{point: PointPrompt, call: prompt}
	Message       = &Kind{point: PointText, chunks: true, call: message}
	Response      = &Kind{point: PointText, call: response}
	Thought       = &Kind{point: PointOther, call: thought}
	BeforeTool    = &Kind{point: PointBeforeTool, call: beforeTool}
	Gate          = &Kind{point: PointBeforeTool} // asks for permission, in addition to BeforeTool for the same call
	AfterTool     = &Kind{point: PointAfterTool, border: hookturn.BorderCall, call: afterTool}
	AfterBatch    = &Kind{point: PointAfterBatch, border: hookturn.BorderBatch, call: afterBatch}
	SubagentStart = &Kind{point: PointOther, subagent: true, call: subagentStart}
	SubagentStop  = &Kind{point: PointStop, border: hookturn.BorderTurn, subagent: true, call: subagentStop}
	Compact       = &Kind{point: PointOther, call: compact}
	Stop          = &Kind{point: PointStop, border: hookturn.BorderTurn, call: stop}
	// Asked is a call that waits for a person's permission. It was judged before that; a halt that came
	// meanwhile is obeyed here.
	Asked = &Kind{point: PointOther}
	// Teamwork is what a team of agents does with its list of tasks, or that one of them is
	// about to wait: the calls say it, too; a halt is obeyed there (IN-21).
	Teamwork = &Kind{point: PointOther}
	// Denied is a call that the agent itself did not let run: refused, not failed.
	Denied = &Kind{point: PointOther, call: denied}
	// StopFailure ends a response because of an error of the model's API. The last message that Claude Code
	// then reports is the error's text, not the model's.
	StopFailure = &Kind{point: PointStop, border: hookturn.BorderTurn, call: stopFailure}
)

func sessionStart(c *hookturn.Call, e *Event) {
	c.Opens = true
	c.Compacts = e.payload.Source == "compact"
}

func sessionEnd(c *hookturn.Call, e *Event) {
	c.Closes = "ended"
	if e.payload.Reason != "" {
		c.Closes = string(e.payload.Reason)
	}
}

func prompt(c *hookturn.Call, e *Event) {
	say(c, sessionevents.BlockUser, outcome.Default().UserText(string(e.payload.Prompt)))
}

func message(c *hookturn.Call, e *Event) {
	say(c, sessionevents.BlockText, string(e.payload.Delta))
}

func response(c *hookturn.Call, e *Event) {
	say(c, sessionevents.BlockText, string(e.payload.Text))
}

func thought(c *hookturn.Call, e *Event) {
	say(c, sessionevents.BlockThinking, string(e.payload.Text))
}

func beforeTool(c *hookturn.Call, e *Event) {
	c.Pieces = []hookturn.Piece{{Block: sessionevents.Block{
		Type: sessionevents.BlockToolCall, ID: e.Tool.ID, Name: e.Tool.Name, Input: e.Tool.Input,
	}}}
}

func afterTool(c *hookturn.Call, e *Event) {
	c.Pieces = []hookturn.Piece{{Block: result(e.Dialect, e.Name, &e.payload.tool)}}
}

func denied(c *hookturn.Call, e *Event) {
	b := e.payload.block()
	b.Output, b.Rejected, b.IsError = string(e.payload.Reason), true, loose.Flag(false)
	c.Pieces = []hookturn.Piece{{Block: cleaned(b)}}
}

func afterBatch(c *hookturn.Call, e *Event) {
	for _, t := range e.payload.calls() {
		c.Pieces = append(c.Pieces, hookturn.Piece{Block: batched(&t), Batch: true})
	}
}

func stop(c *hookturn.Call, e *Event) {
	if e.payload.Status == "error" { // as Cursor reports it
		c.Failed = "error"
	}
	last(c, e.payload)
}

func stopFailure(c *hookturn.Call, _ *Event) { c.Failed = "api_error" }

func subagentStart(c *hookturn.Call, e *Event) {
	c.Opens = true
	say(c, sessionevents.BlockUser, string(e.payload.Task))
}

func subagentStop(c *hookturn.Call, e *Event) {
	c.Closes = "subagent_stopped"
	last(c, e.payload)
}

func compact(c *hookturn.Call, _ *Event) { c.Compacts = true }

// last adds the last message of a response.
func last(c *hookturn.Call, p *payload) {
	for _, s := range []loose.String{p.LastMessage, p.Response, p.Summary} {
		if s != "" {
			c.Pieces = append(c.Pieces, hookturn.Piece{Block: sessionevents.Block{Type: sessionevents.BlockText, Text: text.Valid(string(s))}, Closing: true})
			return
		}
	}
}

func say(c *hookturn.Call, kind sessionevents.BlockType, s string) {
	if s != "" {
		c.Pieces = append(c.Pieces, hookturn.Piece{Block: sessionevents.Block{Type: kind, Text: text.Valid(s)}})
	}
}

// Result is the result of a tool as the agent sends it.
type Result struct {
	Response json.RawMessage // tool_response
	Output   json.RawMessage // tool_output, from Cursor
	Object   json.RawMessage // tool_result, from Copilot CLI
}

// result returns the outcome of one call in the form of its own hook.
func result(d *Dialect, name string, t *tool) sessionevents.Block {
	b := t.block()
	if !failed(name, t) {
		d.Outcome(&b, Result{Response: t.Outcome, Output: t.Output, Object: t.Object})
		return cleaned(b)
	}
	b.Output = loose.Text(t.Error)
	if b.Output == "" {
		b.Output = string(t.ErrorText)
	}
	b.Output, b.ExitCode = outcome.ExitLine(b.Output)
	b.Rejected, _ = outcome.Default().Rejected(b.Output)
	b.Rejected = b.Rejected || bool(t.Interrupted) || t.Failure == "permission_denied"
	b.IsError = loose.Flag(!b.Rejected)
	return cleaned(b)
}

// failed reports whether the hook marks the call as failed.
func failed(name string, t *tool) bool {
	return strings.HasSuffix(name, "Failure") || loose.Text(t.Error) != "" || t.ErrorText != ""
}

// batched returns an outcome in the form of its batch: the text that the model gets, without a mark for
// success.
func batched(t *tool) sessionevents.Block {
	b := t.block()
	b.Output = loose.Text(t.Outcome)
	if message := loose.Text(t.Error); message != "" {
		b.Output, b.IsError = message, loose.Flag(true)
	}
	if refused, _ := outcome.Default().Rejected(b.Output); refused {
		b.Rejected, b.IsError = true, loose.Flag(false)
	}
	return cleaned(b)
}

func (t *tool) block() sessionevents.Block {
	return sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(t.ID), Name: string(t.Name), Input: loose.Object(t.Input)}
}

func cleaned(b sessionevents.Block) sessionevents.Block {
	b.Output, b.Input = text.Valid(b.Output), events.ValidUTF8(b.Input)
	return b
}

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
