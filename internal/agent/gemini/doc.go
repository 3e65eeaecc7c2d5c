// Package gemini reads the chats of Gemini CLI (one JSON document, or JSONL since
// 0.40) and of its fork Qwen Code (JSONL). A message of the model carries its
// tool calls together with their results.
package gemini

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// Names of the formats.
const (
	Name     = "gemini"
	QwenName = "qwen"
)

// Format recognises and reads Gemini CLI chats.
func Format() format.Format {
	return format.Format{
		Name: Name, Title: "Gemini CLI chat (JSON, JSONL)",
		Recognise: func(h format.Head) int { return format.Best(h, confidence) },
		Members: record.Members{
			Stream: []string{"messages", "history"},
			Keep:   []string{"sessionId", "meta", "kind", "startTime", "start_time"},
		},
		Decode: func(a *assemble.Assembler) format.Decoder { return newDecoder(a) },
	}
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

// Qwen recognises and reads Qwen Code sessions.
func Qwen() format.Format {
	return format.Format{
		Name: QwenName, Title: "Qwen Code session (JSONL)",
		Recognise: func(h format.Head) int { return format.Best(h, qwenConfidence) },
		Decode:    func(a *assemble.Assembler) format.Decoder { return newQwenDecoder(a) },
	}
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
