// Package cline reads tasks of Cline, Roo Code and Kilo Code: the list of messages
// (api_conversation_history.json) in which calls are XML in the model's text, or separate parts, and the
// harness answers in the person's messages.
package cline

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "cline"

// Agent is Cline and its forks.
var Agent = agent.Agent{Name: Name, Page: "cline.md", Transcript: &Transcript}
