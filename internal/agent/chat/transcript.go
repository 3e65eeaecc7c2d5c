package chat

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Formats of messages, most specific first.
var (
	// droidTranscript recognises and reads sessions of Factory's Droid.
	droidTranscript = Kind(transcript.Format{
		Name: "droid", Title: "Droid session (JSONL)",
		Signs: "`session_start`, or calls with `toolCallId`",
	}, droid)
	// piTranscript recognises and reads sessions of Pi and OpenClaw.
	piTranscript = Kind(transcript.Format{
		Name: "pi", Title: "Pi or OpenClaw session (JSONL)",
		Signs: "`session`, `model_change`, role `toolResult`",
	}, pi)
	// grokTranscript recognises and reads chats of the Grok CLI.
	grokTranscript = Kind(transcript.Format{
		Name: "grok", Title: "Grok CLI chat (JSONL)",
		Signs: "`prompt_index`, `model_id`",
	}, grok)
	// hermesTranscript recognises and reads sessions of Hermes.
	hermesTranscript = Kind(transcript.Format{
		Name: "hermes", Title: "Hermes session (JSON)",
		Signs: "`session_id`, `messages`, `session_start` or `platform`",
	}, hermes)
	// Transcript recognises and reads any list of messages.
	Transcript = Kind(transcript.Format{
		Name: Name, Generic: true, Title: "chat messages with role and content (JSON, JSONL)",
		Signs:  "`role` with `content`",
		Limits: "as Anthropic's and OpenAI's interfaces accept them",
	}, messages)
)

// Kind returns f as a format of messages whose records are recognised by
// confidence, from 0 to 100.
func Kind(f transcript.Format, confidence func(record.Probe) int) transcript.Format {
	f.Recognise = func(h transcript.Head) int { return transcript.Best(h, confidence) }
	f.Members = record.Members{
		Stream: []string{"messages", "conversation", "history"},
		Keep:   []string{"session_id", "sessionId", "id", "model", "cwd", "session_start", "model_config"},
	}
	f.Decode = func(a *transcript.Assembler) transcript.Decoder { return newDecoder(a) }
	return f
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
	case p.Is("message.role", "toolResult") && (p.Has("message.toolCallId") || p.Is("type", "message")):
		return 70
	}
	return 0
}

func grok(p record.Probe) int {
	switch {
	case p.Is("type", "backend_tool_call") && p.Has("kind"), p.Is("type", "user") && p.Has("prompt_index", "content"):
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

var roles = []string{"user", "assistant", "system", "developer", "tool", "human", "model"}

func messages(p record.Probe) int {
	switch {
	case p.Is("role", roles...) && (p.Has("content") || p.Has("message") || p.Has("text") || p.Has("tool_calls")):
		return 50
	case p.Is("message.role", roles...) && p.Has("message.content"):
		return 45
	}
	for _, list := range []string{"messages[].", "conversation[].", "history[]."} {
		if p.Is(list+"role",
			roles...) && (p.Has(list+"content") || p.Has(list+"parts") || p.Has(list+"text") || p.Has(list+"tool_calls")) {
			return 50
		}
	}
	if p.Is("type", "user", "assistant", "human") && p.Has("content") {
		return 40
	}
	return 0
}
