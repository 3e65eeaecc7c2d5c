package hook

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/turn"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reader takes from a payload what its hook says.
type reader func(*Event, *payload)

// dialects are the hooks of each agent that say something, by name.
var dialects = map[Agent]map[string]reader{
	ClaudeCode: {
		"SessionStart": sessionStart, "UserPromptSubmit": prompt, "MessageDisplay": display,
		"PreToolUse": beforeTool, "PostToolUse": afterTool, "PostToolUseFailure": afterTool, "PostToolBatch": afterBatch,
		"SubagentStart": subagentStart, "SubagentStop": subagentStop, "PreCompact": compact, "Stop": stop, "StopFailure": stopFailure, "SessionEnd": sessionEnd,
	},
	Codex: {
		"SessionStart": sessionStart, "UserPromptSubmit": prompt,
		"PreToolUse": beforeTool, "PostToolUse": afterTool,
		"SubagentStart": subagentStart, "SubagentStop": subagentStop, "PreCompact": compact, "Stop": stop, "SessionEnd": sessionEnd,
	},
	Gemini: {
		"SessionStart": sessionStart, "BeforeAgent": prompt, "BeforeTool": beforeTool, "AfterTool": afterTool,
		"PreCompress": compact, "AfterAgent": stop, "SessionEnd": sessionEnd,
	},
	Cursor: {
		"sessionStart": sessionStart, "beforeSubmitPrompt": prompt, "afterAgentThought": thought, "afterAgentResponse": response,
		"preToolUse": beforeTool, "postToolUse": afterTool, "postToolUseFailure": afterTool,
		"subagentStart": subagentStart, "subagentStop": subagentStop, "preCompact": compact, "stop": stop, "sessionEnd": sessionEnd,
		// They come beside preToolUse for the same call, to be allowed or not.
		"beforeShellExecution": gate, "beforeMCPExecution": gate, "beforeReadFile": gate,
	},
}

func sessionStart(e *Event, p *payload) {
	e.Call.Opens = true
	e.Call.Compacts = p.Source == "compact"
}

func sessionEnd(e *Event, p *payload) {
	e.Point, e.Call.Closes = PointEnd, "ended"
	if p.Reason != "" {
		e.Call.Closes = string(p.Reason)
	}
}

func prompt(e *Event, p *payload) {
	e.Point = PointPrompt
	e.say(sessionevents.BlockUser, outcome.Default().UserText(string(p.Prompt)))
}

func display(e *Event, p *payload) {
	e.Point = PointText
	e.Chunk = &Chunk{Message: string(p.Message), Index: int(p.Index), Text: string(p.Delta), Final: bool(p.Final)}
	e.say(sessionevents.BlockText, string(p.Delta))
}

func response(e *Event, p *payload) {
	e.Point = PointText
	e.say(sessionevents.BlockText, string(p.Text))
}

func thought(e *Event, p *payload) { e.say(sessionevents.BlockThinking, string(p.Text)) }

func beforeTool(e *Event, p *payload) {
	e.Point = PointBeforeTool
	e.Tool = Tool{ID: string(p.ID), Name: string(p.Name), Input: loose.Object(p.Input)}
	e.Call.Pieces = []turn.Piece{{Block: sessionevents.Block{Type: sessionevents.BlockToolCall, ID: e.Tool.ID, Name: e.Tool.Name, Input: e.Tool.Input}}}
}

func gate(e *Event, p *payload) {
	e.Point = PointBeforeTool
	e.Tool = Tool{ID: string(p.ID), Name: string(p.Name), Input: loose.Object(p.Input)}
}

func afterTool(e *Event, p *payload) {
	e.Point = PointAfterTool
	e.Call.Pieces = []turn.Piece{{Block: result(e.Agent, e.Name, &p.tool)}}
	if !e.Agent.Capability().Batches {
		e.Call.Border = turn.BorderCall
	}
}

func afterBatch(e *Event, p *payload) {
	e.Point, e.Call.Border = PointAfterBatch, turn.BorderBatch
	for _, t := range p.calls() {
		e.Call.Pieces = append(e.Call.Pieces, turn.Piece{Block: batched(&t), Batch: true})
	}
}

func stop(e *Event, p *payload) {
	e.Point, e.Call.Border = PointStop, turn.BorderTurn
	if p.Status == "error" { // Cursor
		e.Call.Failed = "error"
	}
	e.last(p)
}

// stopFailure ends a response by an error of the model's API. What Claude Code
// gives as the last message is the error's text, and nobody's.
func stopFailure(e *Event, p *payload) {
	e.Point, e.Call.Border, e.Call.Failed = PointStop, turn.BorderTurn, "api_error"
}

// subagentStart opens a subagent's session; without a name nothing is known of it.
func subagentStart(e *Event, p *payload) {
	if !e.subagent(p) {
		return
	}
	e.Call.Opens = true
	e.say(sessionevents.BlockUser, string(p.Task))
}

func subagentStop(e *Event, p *payload) {
	if !e.subagent(p) {
		return
	}
	e.Point, e.Call.Border, e.Call.Closes = PointStop, turn.BorderTurn, "subagent_stopped"
	e.last(p)
}

func (e *Event) subagent(p *payload) bool {
	if e.Call.Subagent == "" {
		e.Call.Subagent, e.Call.Archetype = string(p.SubagentID), string(p.SubagentType)
	}
	return e.Call.Subagent != ""
}

func compact(e *Event, _ *payload) { e.Call.Compacts = true }

// last adds the last message of a response.
func (e *Event) last(p *payload) {
	for _, text := range []loose.String{p.LastMessage, p.Response, p.Summary} {
		if text != "" {
			e.Call.Pieces = append(e.Call.Pieces, turn.Piece{Block: sessionevents.Block{Type: sessionevents.BlockText, Text: valid(string(text))}, Closing: true})
			return
		}
	}
}

func (e *Event) say(kind sessionevents.BlockType, text string) {
	if text != "" {
		e.Call.Pieces = append(e.Call.Pieces, turn.Piece{Block: sessionevents.Block{Type: kind, Text: valid(text)}})
	}
}
