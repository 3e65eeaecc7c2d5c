// Package metadata recognises files that agents store next to their transcripts: facts about a session,
// without turns. Reading one does not fail; it yields session.opened if the file names its session,
// otherwise nothing.
package metadata

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "session-metadata"

// Agent represents the session files of several agents.
var Agent = agent.Agent{Name: Name, Page: "text.md", Transcript: &Transcript}
