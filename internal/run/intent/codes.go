package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Codes of violations and warnings; package spec documents each.
const (
	CodeSubtypeA           = "TICKET-SUBTYPE-A"                // PL-30
	CodeUncertain          = "INTENT-UNCERTAIN"                // PL-31
	CodeAmbiguous          = "INTENT-AMBIGUOUS"                // PL-31
	CodeWinner             = "INTENT-UNCONFIRMED"              // PL-33
	CodePausedEdit         = "EDIT-WHILE-PAUSED"               // PL-33
	CodeHeldPhase          = "PHASE-WITHOUT-ALLOW"             // PL-33
	CodeNoRival            = "RIVAL-MISSING"                   // PL-32
	CodeContextIncomplete  = "CONTEXT-INCOMPLETE"              // PL-38a
	CodeCheckpointTurn     = "CHECKPOINT-TURN"                 // PL-32
	CodeEarlyEdit          = "EDIT-BEFORE-CHECKPOINT"          // PL-32
	CodeCouncilVague       = "COUNCIL-FOR-VAGUE"               // PL-34
	CodeCouncilSkipped     = "COUNCIL-SKIPPED"                 // PL-33
	CodeCouncilSize        = "COUNCIL-SIZE"                    // PL-35
	CodeCouncilFamilies    = "COUNCIL-FAMILIES"                // PL-35
	CodeCouncilBlind       = "COUNCIL-NOT-BLIND"               // PL-35
	CodeCouncilAnchored    = "COUNCIL-SEES-PRIMARY"            // PL-35
	CodeCouncilTurns       = "COUNCIL-TURNS"                   // PL-35
	CodeCouncilDepth       = "COUNCIL-DEPTH"                   // PL-35
	CodeCouncilDefence     = "COUNCIL-DEFENCE"                 // PL-35
	CodeCouncilRouted      = "COUNCIL-ROUTED-BY-MODEL"         // PL-35
	CodeCouncilOutput      = "COUNCIL-OUTPUT"                  // PL-35
	CodeCouncilConfidence  = "COUNCIL-BY-CONFIDENCE"           // PL-35
	CodeAnswerRole         = "ANSWER-WITHOUT-OPERATOR"         // PL-36
	CodeAnswerUnknown      = "ANSWER-UNKNOWN"                  // PL-36
	CodeSkipInterpretation = "SKIP-WITHOUT-INTERPRETATION"     // PL-37
	CodeSkipAssumptions    = "SKIP-WITHOUT-ASSUMPTIONS"        // PL-37
	CodeUnchecked          = "ASSUMPTION-UNCHECKED"            // PL-38
	CodeAssumptionsLate    = "ASSUMPTIONS-LATE"                // PL-38
	CodeAssumptionsMissed  = "ASSUMPTIONS-MISSING"             // PL-38
	CodeSourceUnlisted     = "SOURCE-UNLISTED"                 // PL-38a
	CodeTier2              = "TIER2-OVER-BUDGET"               // PL-38a
	CodeContradiction      = "CONTRADICTION-OPEN"              // PL-38a
	CodeResolvedDown       = "CONTRADICTION-RESOLVED-DOWN"     // PL-38a
	CodeOpenQuestion       = "OPEN-QUESTION"                   // PL-38a
	CodeNoDisposition      = "OBSERVATION-WITHOUT-DISPOSITION" // PL-38a
	CodeCalibrationLog     = "CALIBRATION-DIFFERS"             // PL-39
	CodeCalibrationHole    = "CALIBRATION-INCOMPLETE"          // PL-39
)

// warn issues a warning about the current event; more lists ids of other events.
func (c *Context) warn(rule, code, what string, more ...string) {
	c.Warning(runevents.WarningIssued{Code: code, Rule: rule, What: what, Evidence: c.evidence(more), CaughtBy: runevents.CaughtByObserver})
}

// violate reports a violation.
func (c *Context) violate(rule, code, what string, more ...string) {
	c.Violation(runevents.ViolationDetected{Code: code, Rule: rule, What: what, Evidence: c.evidence(more), CaughtBy: runevents.CaughtByObserver})
}

// warnOnce and violateOnce report a problem once per run; about distinguishes several
// problems with the same code.
func (c *Context) warnOnce(rule, code, about, what string, more ...string) {
	if c.first(code + " " + about) {
		c.warn(rule, code, what, more...)
	}
}

func (c *Context) violateOnce(rule, code, about, what string, more ...string) {
	if c.first(code + " " + about) {
		c.violate(rule, code, what, more...)
	}
}

func (c *Context) evidence(more []string) []runevents.Reference {
	out := []runevents.Reference{{Event: c.Event.ID}}
	for _, id := range more {
		if id != "" && id != c.Event.ID {
			out = append(out, runevents.Reference{Event: id})
		}
	}
	return out
}

// first records a report and reports whether it is the first.
func (c *Context) first(what string) bool {
	s := c.state
	key := events.DerivedID("intent", "told", what, 0)[:12]
	for _, told := range s.Told {
		if told == key {
			return false
		}
	}
	s.Told = text.Newest(append(s.Told, key), 4*c.config.Kept.Log)
	return true
}

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
