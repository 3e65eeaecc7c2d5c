// Package acp reads logs of the Agent Client Protocol: the messages between an editor and an agent, one
// JSON-RPC message on each line, or only the session/update notifications.
package acp

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "acp"

// Agent is any agent that speaks the protocol.
var Agent = agent.Agent{Name: Name, Page: "acp.md", Transcript: &Transcript}
