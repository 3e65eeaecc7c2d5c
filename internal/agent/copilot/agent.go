// Package copilot reads session logs of GitHub Copilot CLI (JSONL of typed events, versions 0.0.4xx to
// 1.0.x). The work of subagents carries the tool call that started it as parentToolCallId and becomes a
// separate session.
package copilot

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "copilot"

// Agent is GitHub Copilot CLI.
var Agent = agent.Agent{Name: Name, Page: "copilot.md", Transcript: &Transcript, Hooks: &Hooks, Install: &Settings}
