// Package claudecode reads Claude Code's session files (JSONL, versions 1.0 to 2.x). One API response spans
// several lines with the same message id and tool results in between; subagents are in the same file as
// progress lines or side chains, or in files of their own.
package claudecode

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "claude-code"

// Agent is Claude Code.
var Agent = agent.Agent{Name: Name, Page: "claude-code.md", Transcript: &Transcript, Hooks: &Hooks, Install: &Settings, Drive: &Drive}
