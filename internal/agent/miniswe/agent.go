// Package miniswe reads trajectories of mini-swe-agent: one JSON document with info and messages, or only
// the list of messages. Each response makes one shell call, as a tool call or as a fenced block, and the
// next message is its result.
package miniswe

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "mini-swe-agent"

// Agent is mini-swe-agent.
var Agent = agent.Agent{Name: Name, Page: "mini-swe-agent.md", Transcript: &Transcript}
