// Package kiro reads sessions of the Kiro CLI: lines of a kind, with data in parts that
// have a kind of their own.
package kiro

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "kiro"

// Agent is Kiro.
var Agent = agent.Agent{Name: Name, Page: "kiro.md", Transcript: &Transcript}
