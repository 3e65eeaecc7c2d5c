// Package sweagent reads trajectories of SWE-agent (.traj, one JSON document). The steps are in trajectory,
// the task follows them in history.
package sweagent

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "swe-agent"

// Agent is SWE-agent.
var Agent = agent.Agent{Name: Name, Page: "swe-agent.md", Transcript: &Transcript}
