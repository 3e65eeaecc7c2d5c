package cursor

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/chat"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads Cursor's transcripts.
var Transcript = chat.Kind(transcript.Format{
	Name: Name, Title: "Cursor transcript (JSONL)",
	Signs:  "`role` and `message.content` parts, no `type`",
	Limits: "has no tool results",
}, func(p record.Probe) int {
	if p.Is("role", "user", "assistant") && p.Is("message.content", "[") && !p.Has("type") {
		return 70
	}
	return 0
})
