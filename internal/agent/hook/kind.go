package hook

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
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
