package intent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Failure modes of a council.
const (
	modeVague          = "vague"
	modeUnderspecified = "underspecified"
	modeUnanswerable   = "unanswerable"
)

// councilHeld folds a council.
var councilHeld = Rule{ID: "PL-35", Folds: true, On: run.Types(runevents.TypeCouncilCompleted), Run: run.With(func(c *Context, data *runevents.CouncilCompleted) {
	o := &Outcome{
		Event: c.Event.ID, Level: worse(Clear, Level(data.RevisedAmbiguityLevel)), Mode: clip(data.FailureMode, 40),
		Survived: data.PrimaryInterpretationSurvived, Dissents: c.config.texts(data.Dissents),
	}
	if w := data.WinningInterpretation; w != nil {
		o.Winner, o.Basis = strings.TrimSpace(c.config.text(w.Text)), c.config.text(w.Basis)
	}
	c.outcome = o
})}

// councilVague is PL-34: for a vague ticket all challengers fill the gap in the same way,
// so only the operator can help. A ticket is vague according to pre-flight, or to the
// council itself if it found no rival reading.
var councilVague = Rule{ID: "PL-34", On: run.Types(runevents.TypeCouncilCompleted), Run: run.With(func(c *Context, _ *runevents.CouncilCompleted) {
	o := c.outcome
	checkpoint := c.state.Checkpoint
	if checkpoint != nil && slices.Contains(c.config.CouncilAlways, checkpoint.TaskType) {
		return
	}
	said := (strings.EqualFold(o.Mode,
		modeVague) && (checkpoint == nil || !checkpoint.rivals()) || strings.EqualFold(o.Mode, modeUnderspecified)) &&
		len(o.Dissents) == 0 && !c.state.Confirmed
	if c.state.vague() || said {
		c.violate("PL-34", CodeCouncilVague, "A council was held about a vague ticket; only the operator can say what is missing.", c.state.ticketEvent())
	}
})}

// member is a party of a council with all known facts about it.
type member struct {
	runevents.CouncilMember
	challenger bool
}

// councilMembers is PL-35: the composition of a council.
var councilMembers = Rule{ID: "PL-35", On: run.Types(runevents.TypeCouncilCompleted), Run: run.With(func(c *Context, data *runevents.CouncilCompleted) {
	c.members(data)
	if len(data.Members) == 0 {
		c.spawnedMembers()
	}
	c.state.Members = nil // the next council has its own members
})}

// members checks the composition of a council. Unreported properties are not checked.
func (c *Context) members(data *runevents.CouncilCompleted) {
	held := sitting{c, c.parties(data.Members)}
	held.size()
	held.families()
	limit := c.config.Council.MaxTurns
	for _, m := range held.list {
		if m.challenger && m.Mode != "" && m.Mode != "blind" {
			c.violate("PL-35", CodeCouncilBlind, fmt.Sprintf("Challenger %s was in mode %s; a council's challengers are blind.", m.AgentID, clip(m.Mode, 40)))
		}
		if m.challenger && m.Turns > limit {
			c.violate("PL-35", CodeCouncilTurns, fmt.Sprintf("Challenger %s took %d turns; at most %d are allowed.", m.AgentID, m.Turns, limit))
		}
		if isOne(m.Role, c.config.Council.RouterRoles) {
			c.violate("PL-35", CodeCouncilRouted, fmt.Sprintf("%s decided as %s; routing takes no model turn.", m.AgentID, clip(m.Role, 40)))
		}
		if isOne(m.Role, c.config.Council.DefenceRoles) {
			c.violate("PL-35", CodeCouncilDefence, fmt.Sprintf("%s took part as %s; a council has no defence turn.", m.AgentID, clip(m.Role, 40)))
		}
	}
	if data.DefenceTurns > 0 {
		c.violate("PL-35", CodeCouncilDefence, fmt.Sprintf("The primary answered its challengers in %d turns; a council has no defence turn.", data.DefenceTurns))
	}
}

// parties adds the properties reported when challengers were spawned.
func (c *Context) parties(list []runevents.CouncilMember) []member {
	var out []member
	for _, m := range list[:min(len(list), 4*c.config.Kept.List)] {
		one := member{m, isOne(m.Role, c.config.Council.ChallengerRoles)}
		one.AgentID = clip(one.AgentID, 64)
		if at := slices.IndexFunc(c.state.Members, func(s Member) bool { return s.ID == m.AgentID }); at >= 0 {
			spawned := c.state.Members[at]
			one.challenger = one.challenger || one.Role == "" && !spawned.Primary
			one.Mode = cmp.Or(one.Mode, spawned.Mode)
			one.ModelFamily = cmp.Or(one.ModelFamily, spawned.Family)
		}
		out = append(out, one)
	}
	return out
}

// spawnedMembers checks a council that names no members by the agents that were spawned
// for it; without any, nothing is known. Their inputs are checked when they are spawned.
func (c *Context) spawnedMembers() {
	var list []member
	challengers, fit := 0, 0
	for _, m := range c.state.Members {
		list = append(list, member{runevents.CouncilMember{AgentID: clip(m.ID, 64), ModelFamily: m.Family, Mode: m.Mode}, !m.Primary})
		if !m.Primary {
			challengers++
			if !m.Unfit {
				fit++
			}
		}
	}
	if want := c.config.Council.Challengers; challengers > 0 && challengers != want && fit != want {
		c.violate("PL-35", CodeCouncilSize, fmt.Sprintf("%s spawned for the council; a council is a primary and %d challengers.", text.Count(challengers, "challenger was", "challengers were"), want))
	}
	sitting{c, list}.families()
}

// isOne reports whether a role is in a list or begins with an entry of it
// (challenger-1).
func isOne(role string, roles []string) bool {
	role = strings.ToLower(strings.TrimSpace(role))
	return slices.ContainsFunc(roles, func(r string) bool { return strings.HasPrefix(role, r) })
}

// sitting is a council that was held, with its members as far as they are known.
type sitting struct {
	*Context
	list []member
}

// size checks for a primary, which need not be named, and two challengers.
func (c sitting) size() {
	list := c.list
	if len(list) == 0 {
		return
	}
	primaries, challengers, others := 0, 0, 0
	for _, m := range list {
		switch {
		case m.challenger:
			challengers++
		case isOne(m.Role, c.config.Council.PrimaryRoles):
			primaries++
		case m.Role == "":
			others++
		}
	}
	want := c.config.Council.Challengers
	named := others == 0 && primaries <= 1 && challengers == want
	unnamed := others > 0 && primaries <= 1 && (len(list) == want+1 || len(list) == want && primaries == 0)
	if !named && !unnamed {
		c.violate("PL-35", CodeCouncilSize, fmt.Sprintf("The council had %s, %s; a council is a primary and %d challengers.", text.Count(len(list), "member"), text.Count(challengers, "challenger among them", "challengers among them"), want))
	}
}

// families checks that each member is from a different model family.
func (c sitting) families() {
	seen := map[string]string{}
	for _, m := range c.list {
		family := strings.ToLower(strings.TrimSpace(m.ModelFamily))
		if family == "" {
			continue
		}
		if other, twice := seen[family]; twice {
			c.violate("PL-35", CodeCouncilFamilies, fmt.Sprintf("%s and %s are both of the model family %s; each member of a council is of another.", other, m.AgentID, clip(family, 40)))
			return
		}
		seen[family] = m.AgentID
	}
}

// councilOutput is PL-35: the output of a council must be enough for the ladder to
// continue without a model.
var councilOutput = Rule{ID: "PL-35", On: run.Types(runevents.TypeCouncilCompleted), Run: run.With(func(c *Context, data *runevents.CouncilCompleted) {
	o := c.outcome
	if !data.PrimaryInterpretationSurvived && o.Winner == "" {
		c.violate("PL-35", CodeCouncilOutput, "The primary's interpretation did not survive and no winning interpretation is given.")
	}
	if o.Basis != "" && holds(c.config.Council.ConfidenceWords, o.Basis) {
		c.warn("PL-35", CodeCouncilConfidence, fmt.Sprintf("The choice rests on stated confidence (%s), which says nothing; compare the readings.", quote.Passage(o.Basis)))
	}
})}
