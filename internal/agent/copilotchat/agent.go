// Package copilotchat reads sessions of GitHub Copilot Chat in VS Code: the JSON document that VS Code
// exports and stored until 2025, and the journal of changes (JSONL) that it stores since.
package copilotchat

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "copilot-chat"

// Agent is GitHub Copilot Chat in VS Code.
var Agent = agent.Agent{Name: Name, Page: "copilot-chat.md", Transcript: &Transcript}
