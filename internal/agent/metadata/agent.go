// Package metadata recognises files that agents keep beside their transcripts:
// facts about a session, without turns. Reading one does not fail; it yields
// session.opened when the file names its session, else nothing.
package metadata

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "session-metadata"

// Agent is files about sessions of several agents.
var Agent = agent.Agent{Name: Name, Page: "text.md", Transcript: &Transcript}
