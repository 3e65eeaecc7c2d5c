package intent

import (
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// spawned judges a challenger of a council when it is declared (PL-35). One that
// challenges assumptions is none; whether a challenger is blind is PL-20's.
func (d *decision) spawned(data *runevents.AgentSpawned) {
	c := &d.config.Council
	if by := data.Actor.ID; by != "" && slices.ContainsFunc(d.state.Members, func(m Member) bool { return m.ID == by && !m.Primary }) {
		d.violate("PL-35", CodeCouncilDepth, fmt.Sprintf("Challenger %s spawned %s; challengers spawn nobody.", by, data.AgentID))
	}
	member, is := c.member(data)
	if !is {
		return
	}
	d.state.join(member, d.config.Kept.List)
	if d.state.Ticket == nil && d.state.Checkpoint == nil || member.Primary {
		return
	}
	if data.MaxTurns > c.MaxTurns {
		d.violate("PL-35", CodeCouncilTurns, fmt.Sprintf("Challenger %s may take %d turns; at most %d are allowed.", data.AgentID, data.MaxTurns, c.MaxTurns))
	}
	if data.MaxSubagentDepth > c.MaxDepth {
		d.violate("PL-35", CodeCouncilDepth, fmt.Sprintf("Challenger %s may spawn to depth %d; a council allows depth %d.", data.AgentID, data.MaxSubagentDepth, c.MaxDepth))
	}
	if key := key(data, c.PrimaryKeys); key != "" {
		d.violate("PL-35", CodeCouncilAnchored, fmt.Sprintf("Challenger %s is given %q, which tells the primary's interpretation.", data.AgentID, clip(key, 64)))
	}
}

// member is the part of a council that an agent is spawned for, if any.
func (c *Council) member(data *runevents.AgentSpawned) (Member, bool) {
	m := Member{
		ID: clip(data.AgentID, 128), Family: clip(data.ModelFamily, 64), Mode: clip(data.Mode, 40),
		Primary: isOne(data.Role, c.PrimaryRoles), Unfit: data.Mode != "" && data.Mode != "blind" || key(data, c.PrimaryKeys) != "",
	}
	return m, m.Primary || isOne(data.Role, c.ChallengerRoles) && key(data, c.AssumptionKeys) == ""
}

// join adds a member; one that is spawned again takes its own place.
func (s *State) join(m Member, most int) {
	others := slices.DeleteFunc(slices.Clone(s.Members), func(known Member) bool { return known.ID == m.ID })
	s.Members = kept(append(others, m), most)
}

// key is the first input whose name holds one of some words.
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
