// Package amp reads threads of Amp: one JSON document with messages, whose results refer to their call by
// toolUseID.
package amp

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "amp"

// Agent is Amp.
var Agent = agent.Agent{Name: Name, Page: "amp.md", Transcript: &Transcript}
