package codex

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads Codex rollouts.
var Transcript = transcript.Format{
	Name: Name, Title: "Codex rollout (JSONL)",
	Signs:     "`payload` with a type such as `response_item`, or bare items such as `function_call`",
	Limits:    `responses have no ids: one begins at the first item of the model after a tool's output or a person's message`,
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Decode:    func(a *transcript.Assembler) transcript.Decoder { return newDecoder(a) },
}

func confidence(p record.Probe) int {
	switch {
	case p.Is("type", "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state") && p.Is("payload", "{"):
		return 95
	case p.Has("record_type") && len(p) <= 2:
		return 60 // bare items of 2025
	case p.Is("type", "function_call", "function_call_output", "local_shell_call", "custom_tool_call") && p.Has("call_id"):
		return 70
	case p.Is("type", "message") && p.Is("content[].type", "input_text", "output_text"):
		return 60
	case p.Has("id", "timestamp", "instructions") && !p.Has("type"):
		return 50
	}
	return 0
}
