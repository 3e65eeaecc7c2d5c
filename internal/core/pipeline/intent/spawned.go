package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// spawned judges a challenger of a council when it is declared (PL-35). One that
// challenges assumptions is none; whether a challenger is blind is PL-20's.
func (d *decision) spawned(data *events.AgentSpawned) {
	c := &d.config.Council
	if by := data.Actor.ID; by != "" && slices.ContainsFunc(d.state.Members, func(m Member) bool { return m.ID == by }) {
		d.violate("PL-35", CodeCouncilDepth, fmt.Sprintf("Challenger %s spawned %s; challengers spawn nobody.", by, data.AgentID))
	}
	if d.state.Ticket == nil && d.state.Checkpoint == nil || !d.is(data.Role, c.ChallengerRoles) || d.key(data, c.AssumptionKeys) != "" {
		return
	}
	if data.MaxTurns > c.MaxTurns {
		d.violate("PL-35", CodeCouncilTurns, fmt.Sprintf("Challenger %s may take %d turns, at most %d are allowed.", data.AgentID, data.MaxTurns, c.MaxTurns))
	}
	if data.MaxSubagentDepth > c.MaxDepth {
		d.violate("PL-35", CodeCouncilDepth, fmt.Sprintf("Challenger %s has depth %d, a council has %d.", data.AgentID, data.MaxSubagentDepth, c.MaxDepth))
	}
	if key := d.key(data, c.PrimaryKeys); key != "" {
		d.violate("PL-35", CodeCouncilAnchored, fmt.Sprintf("Challenger %s is given %q, which tells the primary's interpretation.", data.AgentID, clip(key, 64)))
	}
	m := Member{ID: clip(data.AgentID, 128), Family: clip(data.ModelFamily, 64), Mode: clip(data.Mode, 40)}
	d.state.Members = kept(append(d.state.Members, m), d.config.Kept.List)
}

// key is the first input whose name holds one of some words.
func (d *decision) key(data *events.AgentSpawned, words []string) string {
	for _, list := range [][]string{data.ContextKeys, data.DeclaredInputs, data.Include} {
		for _, key := range list {
			if holds(words, strings.TrimSpace(key)) {
				return key
			}
		}
	}
	return ""
}
