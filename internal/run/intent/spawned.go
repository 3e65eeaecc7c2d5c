package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// challengerSpawns is PL-35: challengers spawn no agents.
var challengerSpawns = Rule{ID: "PL-35", On: run.Types(runevents.TypeAgentSpawned), Run: run.With(func(c *Context, data *runevents.AgentSpawned) {
	if by := data.Actor.ID; by != "" && slices.ContainsFunc(c.state.Members, func(m Member) bool { return m.ID == by && !m.Primary }) {
		c.violate("PL-35", CodeCouncilDepth, fmt.Sprintf("Challenger %s spawned %s; challengers spawn nobody.", by, data.AgentID))
	}
})}

// challengerSpawned is PL-35 for a declared challenger of a council. A challenger of
// assumptions does not count; PL-20 checks whether a challenger is blind.
var challengerSpawned = Rule{ID: "PL-35", On: run.Types(runevents.TypeAgentSpawned), Run: run.With(func(c *Context, data *runevents.AgentSpawned) {
	fit := &c.config.Council
	member, is := fit.member(data)
	if !is {
		return
	}
	c.state.join(member, c.config.Kept.List)
	if member.Primary {
		return
	}
	if data.MaxTurns > fit.MaxTurns {
		c.violate("PL-35", CodeCouncilTurns, fmt.Sprintf("Challenger %s may take %d turns; at most %d are allowed.", data.AgentID, data.MaxTurns, fit.MaxTurns))
	}
	if data.MaxSubagentDepth > fit.MaxDepth {
		c.violate("PL-35", CodeCouncilDepth, fmt.Sprintf("Challenger %s may spawn to depth %d; a council allows depth %d.", data.AgentID, data.MaxSubagentDepth, fit.MaxDepth))
	}
	if c.state.Ticket == nil && c.state.Checkpoint == nil {
		return // the primary's reading is unknown
	}
	if key := key(data, fit.PrimaryKeys); key != "" {
		c.violate("PL-35", CodeCouncilAnchored, fmt.Sprintf("Challenger %s is given %s, which reveals the primary's interpretation.", quote.Name(data.AgentID), quote.Text(clip(key, 64))))
	}
})}

// member returns the role in a council that an agent is spawned for, if any.
func (c *Council) member(data *runevents.AgentSpawned) (Member, bool) {
	m := Member{
		ID: clip(data.AgentID, 128), Family: clip(data.ModelFamily, 64), Mode: clip(data.Mode, 40),
		Primary: isOne(data.Role, c.PrimaryRoles), Unfit: data.Mode != "" && data.Mode != "blind" || key(data, c.PrimaryKeys) != "",
	}
	return m, m.Primary || isOne(data.Role, c.ChallengerRoles) && key(data, c.AssumptionKeys) == ""
}

// join adds a member; spawning a member again replaces its entry.
func (s *State) join(m Member, most int) {
	others := slices.DeleteFunc(slices.Clone(s.Members), func(known Member) bool { return known.ID == m.ID })
	s.Members = text.Newest(append(others, m), most)
}

// key returns the first input whose name contains one of the words.
func key(data *runevents.AgentSpawned, words []string) string {
	for _, list := range [][]string{data.ContextKeys, data.DeclaredInputs, data.Include} {
		for _, key := range list {
			if holds(words, strings.TrimSpace(key)) {
				return key
			}
		}
	}
	return ""
}
