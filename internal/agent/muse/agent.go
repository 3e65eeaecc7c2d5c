// Package muse reads sessions of Muse Code: the event log session.jsonl in a session's folder, and the
// output of `muse export`.
package muse

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "muse"

// Agent is Muse Code.
var Agent = agent.Agent{Name: Name, Page: "muse.md", Transcript: &Transcript}
