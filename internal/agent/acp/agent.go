// Package acp reads logs of the Agent Client Protocol: the messages between an editor and
// an agent, one JSON-RPC message a line, or the session/update notifications alone.
package acp

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "acp"

// Agent is any agent that speaks the protocol.
var Agent = agent.Agent{Name: Name, Page: "acp.md", Transcript: &Transcript}
