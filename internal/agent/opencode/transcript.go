package opencode

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads OpenCode sessions.
var Transcript = transcript.Format{
	Name: Name, Title: "OpenCode session, message or part (JSON), `opencode run --format json`, rows of its " +
		"database (JSON, JSONL)",
	Signs: "messages of `info` and `parts`, or `sessionID` with `projectID` or `part`, or rows with " +
		"`session_id` and `data`",
	Limits: "an export, a single file of its storage, events of a run, or rows of the tables `message` and " +
		"`part`, messages first",
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Members:   record.Members{Stream: []string{"messages"}, Keep: []string{"info"}},
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{a: a, s: a.Main(), phrases: outcome.Default(), persons: map[string]bool{}}
	},
}

var partTypes = []string{"tool", "text", "reasoning", "file", "step-start", "step-finish", "compaction", "patch", "snapshot", "agent", "retry", "subtask"}

func confidence(p record.Probe) int {
	switch {
	case p.Has("messages[].info", "messages[].parts"), p.Has("info.directory", "messages"):
		return 90
	case p.Has("type", "sessionID", "timestamp") && p.Is("part.type", partTypes...), p.Has("id", "session_id",
		"time_created", "data"):
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
