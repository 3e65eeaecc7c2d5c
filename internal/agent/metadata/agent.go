// Package metadata recognises files that agents keep beside their transcripts:
// facts about a session, no turns. Reading one is no error; it yields
// session.opened where the file names its session, else nothing.
package metadata

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "session-metadata"

// Agent is files about sessions of several agents.
var Agent = agent.Agent{Name: Name, Page: "text.md", Transcript: &Transcript}
