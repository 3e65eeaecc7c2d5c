// Package crush reads sessions of Crush in the form of `crush session show ID --json` and `crush session
// last --json`: one JSON document. Its database is not read.
package crush

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "crush"

// Agent is Crush.
var Agent = agent.Agent{Name: Name, Page: "crush.md", Transcript: &Transcript}
