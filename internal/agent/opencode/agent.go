// Package opencode reads OpenCode sessions: an export (one document with info and messages), or a single
// file of its storage, which holds one message, one part or the facts about one session.
package opencode

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "opencode"

// Agent is OpenCode.
var Agent = agent.Agent{Name: Name, Page: "opencode.md", Transcript: &Transcript, Hooks: &Hooks, Install: &Settings, Drive: &Drive}
