// Package kiro reads sessions of the Kiro CLI: lines with a kind, and data in parts with a kind of their
// own.
package kiro

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "kiro"

// Agent is Kiro.
var Agent = agent.Agent{Name: Name, Page: "kiro.md", Transcript: &Transcript}
