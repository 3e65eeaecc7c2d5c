// Package codex reads rollout files of the Codex command line (JSONL): the envelope {timestamp, type,
// payload} of later versions and the bare items of the first ones. Responses have no ids: one begins with
// the first item of the model after a tool's output, a token count or a person's message.
package codex

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "codex"

// Agent is Codex.
var Agent = agent.Agent{Name: Name, Page: "codex.md", Transcript: &Transcript, Hooks: &Hooks, Install: &Settings, Drive: &Drive}
