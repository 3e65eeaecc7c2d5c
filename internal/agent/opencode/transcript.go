package opencode

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads OpenCode sessions.
var Transcript = transcript.Format{
	Name: Name, Title: "OpenCode session, message or part (JSON)",
	Signs:     "messages of `info` and `parts`, or `sessionID`, `projectID`",
	Limits:    `an export, or a single file of its storage`,
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Members:   record.Members{Stream: []string{"messages"}, Keep: []string{"info"}},
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{a: a, s: a.Main(), phrases: outcome.Default()}
	},
}

var partTypes = []string{"tool", "text", "reasoning", "file", "step-start", "step-finish", "compaction", "patch", "snapshot", "agent", "retry", "subtask"}

func confidence(p record.Probe) int {
	switch {
	case p.Has("messages[].info", "messages[].parts"), p.Has("info.directory", "messages"):
		return 90
	case p.Has("id", "sessionID", "role", "time"):
		return 90
	case p.Has("id", "projectID", "directory", "time"):
		return 85
	case p.Has("id") && p.Is("type", partTypes...):
		if p.Has("messageID") || p.Has("sessionID") || p.Has("time.start") || strings.HasPrefix(p["id"], "prt_") {
			return 80
		}
	}
	return 0
}
