package gemini

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads Gemini CLI chats.
var Transcript = transcript.Format{
	Name: Name, Title: "Gemini CLI chat (JSON, JSONL)",
	Signs:     "`sessionId` with `projectHash`, messages of type `gemini`, or `parts`",
	Limits:    `calls and their results are together`,
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Members: record.Members{
		Stream: []string{"messages", "history"},
		Keep:   []string{"sessionId", "meta", "kind", "startTime", "start_time"},
	},
	Decode: func(a *transcript.Assembler) transcript.Decoder { return newDecoder(a) },
}

func confidence(p record.Probe) int {
	switch {
	case p.Has("sessionId", "projectHash"):
		return 95
	case p.Is("type", "gemini") && p.Has("content"):
		return 90
	case p.Has("sessionId", "messages", "startTime"):
		return 85
	case p.Is("history", "[") && p.Has("history[].parts"):
		return 80
	case p.Is("role", "user", "model", "gemini") && p.Is("parts", "["):
		return 75
	}
	return 0
}

// QwenTranscript recognises and reads Qwen Code sessions.
var QwenTranscript = transcript.Format{
	Name: QwenName, Title: "Qwen Code session (JSONL)",
	Signs:     "`sessionId`, `uuid` and `message.parts`",
	Limits:    "as `gemini`",
	Recognise: func(h transcript.Head) int { return transcript.Best(h, qwenConfidence) },
	Decode:    func(a *transcript.Assembler) transcript.Decoder { return newQwenDecoder(a) },
}

func qwenConfidence(p record.Probe) int {
	switch {
	case !p.Has("sessionId", "uuid", "type"):
		return 0
	case p.Is("message.parts", "["):
		return 95
	case p.Has("systemPayload"):
		return 90
	}
	return 0
}
