// Package antigravity reads the step logs of the Antigravity command line (JSONL). Calls are in the
// planner's step; each result is in a step of its own, in the same order and without ids.
package antigravity

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "antigravity"

// Agent is the Antigravity command line.
var Agent = agent.Agent{Name: Name, Page: "antigravity.md", Transcript: &Transcript}
