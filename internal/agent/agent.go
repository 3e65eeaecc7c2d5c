// Package agent says what an agent is to scaffoldwatch: a value with a part for
// each way in which its turns come in and interrupts go out. Each agent's package
// holds its value, internal/agent/all the list.
package agent

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Agent is a coding agent, or something else that writes down what agents did. A
// part that it lacks is nil.
type Agent struct {
	Name       string             // short and stable, as turns carry it as agent.kind: "claude-code"
	Page       string             // of docs/agents, which it may share
	Transcript *transcript.Format // how its transcripts are read
	Hooks      *hook.Dialect      // how it calls hooks and what it accepts as a reply
	Install    *install.Settings  // how hooks get into its settings and out again
	Drive      *drive.Way         // how it is driven without hooks
}
