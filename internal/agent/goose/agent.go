// Package goose reads sessions of Goose: the output of `goose session export` and `goose run
// --output-format json` (one JSON document), its session files of 2025 (JSONL), and the events of
// `--output-format stream-json`.
package goose

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "goose"

// Agent is Goose.
var Agent = agent.Agent{Name: Name, Page: "goose.md", Transcript: &Transcript}
