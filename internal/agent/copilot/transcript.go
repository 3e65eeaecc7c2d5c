package copilot

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads Copilot CLI logs.
var Transcript = transcript.Format{
	Name: Name, Title: "GitHub Copilot CLI session (JSONL)",
	Signs:     "`data` with a type such as `assistant.message`, `tool.execution_start`",
	Limits:    `0.0.4xx to 1.0.x; work of subagents is a separate session`,
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Decode:    func(a *transcript.Assembler) transcript.Decoder { return newDecoder(a) },
}

var kinds = []string{"session.", "user.message", "assistant.", "tool.execution_", "hook.", "subagent.", "system.message"}

func confidence(p record.Probe) int {
	if !p.Is("data", "{") || !p.Has("type") {
		return 0
	}
	for _, kind := range kinds {
		if strings.HasPrefix(p["type"], kind) && !p.Has("specversion") {
			return 90
		}
	}
	return 0
}
