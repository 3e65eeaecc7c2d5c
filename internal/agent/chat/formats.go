package chat

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// Name is the name of the format that any list of messages has.
const Name = "chat"

// Formats are the formats that this package reads, the most special first.
func Formats() []format.Format {
	return []format.Format{
		kind("droid", "Droid session (JSONL)", droid),
		kind("pi", "Pi or OpenClaw session (JSONL)", pi),
		kind("grok", "Grok CLI chat (JSONL)", grok),
		kind("hermes", "Hermes session (JSON)", hermes),
		kind("cursor", "Cursor transcript (JSONL)", cursor),
		kind(Name, "chat messages with role and content (JSON, JSONL)", messages),
	}
}

func kind(name, title string, confidence func(record.Probe) int) format.Format {
	return format.Format{
		Name: name, Title: title,
		Recognise: func(h format.Head) int { return format.Best(h, confidence) },
		Members: record.Members{
			Stream: []string{"messages", "conversation", "history"},
			Keep:   []string{"session_id", "sessionId", "id", "model", "cwd", "session_start", "model_config"},
		},
		Decode: func(a *assemble.Assembler) format.Decoder { return newDecoder(a) },
	}
}

func droid(p record.Probe) int {
	switch {
	case p.Is("type", "session_start") && p.Has("id", "cwd"):
		return 80
	case p.Is("type", "message") && p.Is("message", "{") && p.Has("parentId", "message.role") && !p.Has("message.timestamp"):
		return 40
	case !p.Has("session_id") && !p.Has("sessionId"):
		return 0
	case p.Is("type", "tool_call", "tool_result") && (p.Has("toolCallId") || p.Has("toolId")), p.Is("type", "completion") && p.Has("finalText"):
		return 80
	}
	return 0
}

func pi(p record.Probe) int {
	switch {
	case p.Is("type", "session") && p.Has("version", "id", "cwd"):
		return 80
	case p.Is("type", "model_change", "thinking_level_change") && p.Has("parentId"):
		return 80
	case p.Is("message.role", "toolResult"):
		return 70
	}
	return 0
}

func grok(p record.Probe) int {
	switch {
	case p.Is("type", "backend_tool_call"), p.Is("type", "user") && p.Has("prompt_index", "content"):
		return 80
	case p.Is("type", "assistant") && p.Has("content", "model_id"):
		return 80
	}
	return 0
}

func hermes(p record.Probe) int {
	if p.Has("session_id", "messages") && (p.Has("session_start") || p.Has("platform")) {
		return 80
	}
	return 0
}

func cursor(p record.Probe) int {
	if p.Is("role", "user", "assistant") && p.Is("message.content", "[") && !p.Has("type") {
		return 70
	}
	return 0
}

var roles = []string{"user", "assistant", "system", "developer", "tool", "human", "model"}

func messages(p record.Probe) int {
	switch {
	case p.Is("role", roles...) && (p.Has("content") || p.Has("message") || p.Has("text") || p.Has("tool_calls")):
		return 50
	case p.Is("message.role", roles...):
		return 45
	case p.Is("messages[].role", roles...), p.Is("conversation[].role", roles...), p.Is("history[].role", roles...):
		return 50
	case p.Is("type", "user", "assistant", "human") && p.Has("content"):
		return 40
	}
	return 0
}
