// Package openhands reads event histories of OpenHands: an array, an object with a history, JSONL or one
// event per file; actions and observations of version 0 as well as the kinds of the agent SDK.
package openhands

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "openhands"

// Agent is OpenHands.
var Agent = agent.Agent{Name: Name, Page: "openhands.md", Transcript: &Transcript, Drive: &Drive}
