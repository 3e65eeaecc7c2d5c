// Package crush reads sessions of Crush as `crush session show ID --json` and `crush
// session last --json` write them: one JSON document. Its database is not read.
package crush

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "crush"

// Agent is Crush.
var Agent = agent.Agent{Name: Name, Page: "crush.md", Transcript: &Transcript}
