package shadow

import (
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// shadow is the shadow of one archetype: any of its conditions is sufficient, and several
// at once are one shadow.
type shadow struct {
	rule       string
	archetype  string
	conditions []condition
}

// shadows are the archetypes' shadows with their conditions, in the order of their rules.
var shadows = []shadow{
	{"RW-1", explorer, []condition{tooManyWords, tangents, filesWithoutPatterns, noSynthesis}},
	{"RW-2", creator, []condition{tooManyAbstractions, futureProof, scopeExceedsTask, tooManyPackages}},
	{"RW-3", maker, []condition{noTestFiles, monolithicCommit, outsideProposal, noTestRun}},
	{"RW-4", guardian, []condition{criticalRatio, neverApproved, findingsWithoutFix, requiresCompromised}},
	{"RW-5", skeptic, []condition{tooManyChallenges, fewAlternatives, sameConcern, outsideScope}},
	{"RW-6", trickster, []condition{untouchedCode, tooManyFindings, impossibleScenarios, withoutRepro}},
	{"RW-7", sage, []condition{reviewTooLong, outsideChangeset, considerWithoutAction, trivialDocumentation}},
}

// systemRules are about the run as a whole, contextRules about the content of prompts.
var (
	systemRules  = []string{"RW-10", "RW-11", "RW-12", "RW-13", "RW-14", "RW-15", "RW-16"}
	contextRules = []string{"RW-22/lessons", "RW-22/findings", "RW-22/prompt"}
)

// ruleIDs returns all rules that need an action.
func ruleIDs() []string {
	var out []string
	for _, s := range shadows {
		out = append(out, s.rule)
	}
	return append(append(out, systemRules...), contextRules...)
}

// judge reports the shadow of a piece of work, and returns whether it has one.
func (c *Context) judge(k *work) bool {
	for _, s := range shadows {
		if s.archetype != k.agent.Archetype {
			continue
		}
		var because []sessionevents.Condition
		for _, holds := range s.conditions {
			if condition := holds(k); condition != nil {
				because = append(because, *condition)
			}
		}
		c.Executed(s.rule)
		if len(because) == 0 {
			return false
		}
		c.signal(notice{rule: s.rule, layer: sessionevents.LayerArchetype, agent: k.agent, cycle: k.cycle, events: k.events, because: because})
		return true
	}
	return false
}
