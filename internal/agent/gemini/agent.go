// Package gemini reads the chats of Gemini CLI (one JSON document, or JSONL since 0.40) and of its fork
// Qwen Code (JSONL). A message of the model carries its tool calls together with their results.
package gemini

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Names of the agents.
const (
	Name     = "gemini"
	QwenName = "qwen"
)

// Agent is Gemini CLI.
var Agent = agent.Agent{Name: Name, Page: "gemini.md", Transcript: &Transcript, Hooks: &Hooks, Install: &Settings}

// Qwen is Qwen Code.
var Qwen = agent.Agent{Name: QwenName, Page: "gemini.md", Transcript: &QwenTranscript}
