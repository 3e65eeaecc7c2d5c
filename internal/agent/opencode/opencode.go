// Package opencode reads OpenCode sessions: an export (one document with info and
// messages), or a single file of its storage, which holds one message, one part
// or the facts of one session.
package opencode

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// Name is the format's name.
const Name = "opencode"

// Format recognises and reads OpenCode sessions.
func Format() format.Format {
	return format.Format{
		Name: Name, Title: "OpenCode session, message or part (JSON)",
		Recognise: func(h format.Head) int { return format.Best(h, confidence) },
		Members:   record.Members{Stream: []string{"messages"}, Keep: []string{"info"}},
		Decode: func(a *assemble.Assembler) format.Decoder {
			return &decoder{a: a, s: a.Main(), phrases: outcome.Default()}
		},
	}
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
