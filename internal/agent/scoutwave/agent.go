// Package scoutwave reads the plan documents of Scout-and-Wave as run events: the IMPL
// document in Markdown (docs/IMPL-<slug>.md) and the YAML manifest of today
// (docs/IMPL/IMPL-<slug>.yaml). It is the scout's verdict, who owns which file in which
// wave, the scaffolds, the critic's review and the agents' completion reports (IN-10).
//
// A document says what was planned and reported, not who approved it or when an agent
// started: no approval, launch or merge is made of it. Those come from the operator, from
// the orchestrator's events and from Git.
package scoutwave

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "scout-and-wave"

// Agent is Scout-and-Wave, an orchestrator.
var Agent = agent.Agent{Name: Name, Page: "scout-and-wave.md", Transcript: &Transcript}
