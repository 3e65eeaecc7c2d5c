package claudecode

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads Claude Code sessions.
var Transcript = transcript.Format{
	Name: Name, Title: "Claude Code session (JSONL)",
	Signs:     "`type` with `sessionId`, `uuid`, `isSidechain`, or line types only it writes",
	Limits:    "versions 1.0 to 2.x and `--output-format stream-json`; the lines of one API response are one turn; side chains and subagents are sessions of their own that name their parent",
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Decode:    func(a *transcript.Assembler) transcript.Decoder { return newDecoder(a) },
}

// lineTypes are types of lines that only Claude Code writes.
var lineTypes = []string{"file-history-snapshot", "queue-operation", "permission-mode", "progress", "attachment", "pr-link"}

func confidence(p record.Probe) int {
	switch {
	case p.Has("message.parts") || p.Has("systemPayload"):
		return 0 // Qwen Code, whose envelope is similar
	case p.Is("type", "user", "assistant", "system") && p.Has("sessionId", "uuid", "isSidechain"):
		return 95
	case p.Is("type", "user", "assistant") && p.Has("sessionId", "message.role"):
		return 85
	case p.Is("type", "assistant") && p.Has("message.id", "message.content", "requestId"):
		return 80
	case p.Is("type", "user", "assistant") && p.Has("session_id", "message.role"):
		return 80 // --output-format stream-json
	case p.Is("type", "summary") && p.Has("leafUuid", "summary"):
		return 80
	case p.Is("type", lineTypes...) && (p.Has("sessionId") || p.Has("messageId", "snapshot")):
		return 75
	}
	return 0
}
