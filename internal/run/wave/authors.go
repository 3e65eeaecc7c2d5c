package wave

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// role is the role of an author or actor.
type role string

const (
	roleAgent        role = "agent"
	roleOrchestrator role = "orchestrator"
	roleScout        role = "scout"
	roleScaffold     role = "scaffold"
	roleUnknown      role = "unknown"
)

// learnActor records the ids of actors that are not wave agents.
func (c *Context) learnActor() {
	if c.actor.ID == "" || len(c.actor.ID) > longText {
		return
	}
	list := map[runevents.ActorKind]*[]string{
		runevents.ActorOrchestrator: &c.state.Orchestrators, runevents.ActorScout: &c.state.Scouts, runevents.ActorScaffold: &c.state.Scaffolders,
	}[c.actor.Kind]
	if list != nil && len(*list) < c.config.Kept.Actors && !slices.Contains(*list, c.actor.ID) {
		*list = append(*list, c.actor.ID)
	}
}

// author returns the role of a commit's author. The place that infrastructure observed
// (letter) takes precedence over a name, which anyone can set; the variable that only the
// orchestrator has decides if nothing else does (WP-4).
func (c gitCommit) author() role {
	name := strings.ToLower(strings.TrimSpace(c.d.Author))
	switch {
	case c.d.Letter != "" || c.state.Waves.agentByID(c.d.Author) != nil || anyFits(c.config.Authors.Agent, name):
		return roleAgent
	case slices.Contains(c.state.Scouts, c.d.Author) || anyFits(c.config.Authors.Scout, name):
		return roleScout
	case slices.Contains(c.state.Scaffolders, c.d.Author) || anyFits(c.config.Authors.Scaffold, name):
		return roleScaffold
	case c.namesOrchestrator(c.d.Author) || c.d.AllowMain:
		return roleOrchestrator
	}
	return roleUnknown
}

func (c *Context) namesOrchestrator(author string) bool {
	return author != "" && (slices.Contains(c.state.Orchestrators, author) || anyFits(c.config.Authors.Orchestrator, strings.ToLower(strings.TrimSpace(author))))
}

func anyFits(patterns []string, name string) bool {
	return name != "" && slices.ContainsFunc(patterns, func(p string) bool { return fits(p, name) })
}

// onBranch reports whether the agent's worktree is on a branch.
func (agent *Agent) onBranch(branch string) bool {
	return agent != nil && agent.Worktree != nil && branch != "" && agent.Worktree.Branch == branch
}

// sessionOf returns an agent's session, "" if unknown.
func (s *State) sessionOf(agent *Agent) string {
	if agent == nil || agent.Session != "" || agent.ID == "" {
		if agent == nil {
			return ""
		}
		return agent.Session
	}
	for _, one := range s.Sessions {
		if one.Agent == agent.ID {
			return one.Session
		}
	}
	return ""
}

// sessionOpened folds which session an agent works in.
var sessionOpened = Rule{ID: "WP-4", Folds: true, On: run.Types(sessionevents.TypeSessionOpened), Run: run.With(func(c *Context, d *sessionevents.SessionOpened) {
	if d.Agent != nil && d.Agent.ID != "" {
		c.learnSession(d.Agent.ID, d.Session)
	}
})}

// sessionDisplaced is WP-7: the directory of an agent's session must be in its worktree
// in a wave of two or more, whatever branch it claims.
var sessionDisplaced = Rule{
	ID: "WP-7", On: run.Types(sessionevents.TypeSessionOpened),
	Run: run.With(func(c *Context, d *sessionevents.SessionOpened) {
		if d.Agent == nil || d.Workspace == "" {
			return
		}
		for _, w := range c.state.Waves {
			for _, agent := range w.scoped() {
				number, letter, named := parseName(d.Agent.ID)
				mine := agent.ID != "" && agent.ID == d.Agent.ID ||
					agent.Session != "" && agent.Session == d.Session || named && number == w.Number && letter == agent.Letter
				if mine && agent.Worktree != nil && agent.Worktree.Live && !w.Merged && c.config.outOf(agent.Worktree,
					d.Workspace) {
					member{c, w, agent}.outsideWorktree(d.Workspace, "")
				}
			}
		}
	}),
}

func (c *Context) learnSession(agent, session string) {
	for i := range c.state.Sessions {
		if c.state.Sessions[i].Agent == agent {
			c.state.Sessions[i].Session = session
			return
		}
	}
	if len(c.state.Sessions) < c.config.Kept.Actors*4 {
		c.state.Sessions = append(c.state.Sessions, AgentSession{agent, session})
	}
}

func branchName(branch string) string { return strings.TrimPrefix(branch, "refs/heads/") }

func (c *Config) isMain(branch string) bool {
	return slices.Contains(c.MainBranches, branchName(branch))
}
