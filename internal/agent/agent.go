// Package agent defines what an agent is to scaffoldwatch: a value with a part for each way in which its
// turns arrive and interrupts leave. Each agent's package holds its value, internal/agent/all the list.
package agent

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Agent is a coding agent, or something else that records what agents did. Missing parts are nil.
type Agent struct {
	Name       string             // short and stable, as in agent.kind of turns: "claude-code"
	Page       string             // page in docs/agents, which several agents may share
	Transcript *transcript.Format // reads its transcripts
	Hooks      *hook.Dialect      // describes its hooks and the replies it accepts
	Install    *install.Settings  // installs hooks into its settings and removes them
	Drive      *drive.Way         // drives it without hooks
}
