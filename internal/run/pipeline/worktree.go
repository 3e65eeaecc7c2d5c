package pipeline

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// agentInWorktree and worktreeDeclared fold that the run declares a worktree: its
// branch is known from there (PL-6).
var (
	agentInWorktree = Rule{ID: "PL-6", Folds: true, On: run.Types(runevents.TypeAgentStarted), Run: run.With(func(c *Context, d *runevents.AgentStarted) {
		c.run.OwnWorktree = c.run.OwnWorktree || d.Isolation == "worktree"
	})}
	worktreeDeclared = Rule{ID: "PL-6", Folds: true, On: run.Types(runevents.TypeWorktreeCreated), Run: func(c *Context) {
		c.run.OwnWorktree = true
	}}
)
