// Package specstory reads the Markdown that SpecStory writes about sessions of Claude Code, Cursor, Codex,
// Gemini and others (.specstory/history/*.md), in its forms of 2025 and 2026. Speakers have lines of their
// own; a call and its result are one block.
package specstory

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "specstory"

// Agent is the agent whose session SpecStory exported, whichever it is.
var Agent = agent.Agent{Name: Name, Page: "specstory.md", Transcript: &Transcript}
