// Package dsh reads sessions of DeepSeek Harness: the append-only log session.jsonl in a session's folder,
// plain or compressed with zstd, in its format versions 0 to 3.
package dsh

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "dsh"

// Agent is DeepSeek Harness.
var Agent = agent.Agent{Name: Name, Page: "dsh.md", Transcript: &Transcript}
