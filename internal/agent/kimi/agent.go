// Package kimi reads the wire files of Kimi Code (JSONL): messages as they enter the context and the steps
// of the loop. A step is one response.
package kimi

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "kimi"

// Agent is Kimi Code.
var Agent = agent.Agent{Name: Name, Page: "kimi.md", Transcript: &Transcript}
