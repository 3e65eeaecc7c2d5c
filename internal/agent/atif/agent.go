// Package atif reads trajectories in the Agent Trajectory Interchange Format (Harbor,
// versions 1.0 to 1.7), one JSON document with steps, and writes them.
package atif

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "atif"

// Agent is the agent of a trajectory, whichever it is.
var Agent = agent.Agent{Name: Name, Page: "atif.md", Transcript: &Transcript}
