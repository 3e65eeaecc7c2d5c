// Package cursor holds everything specific to Cursor: its transcripts, which are lists of messages, and its
// hooks.
package cursor

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "cursor"

// Agent is Cursor.
var Agent = agent.Agent{Name: Name, Page: "cursor.md", Transcript: &Transcript, Hooks: &Hooks, Install: &Settings}
