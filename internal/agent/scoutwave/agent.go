// Package scoutwave reads the plan documents of Scout-and-Wave as run events: the IMPL document in Markdown
// (docs/IMPL-<slug>.md) and the current YAML manifest (docs/IMPL/IMPL-<slug>.yaml). They contain the
// scout's verdict, the owner of each file in each wave, the scaffolds, the critic's review and the agents'
// completion reports (IN-10).
//
// A document states what was planned and reported, not who approved it or when an agent started, so no
// approval, launch or merge is derived from it. Those come from the operator, from the orchestrator's
// events and from Git.
package scoutwave

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "scout-and-wave"

// Agent is Scout-and-Wave, an orchestrator.
var Agent = agent.Agent{Name: Name, Page: "scout-and-wave.md", Transcript: &Transcript}
