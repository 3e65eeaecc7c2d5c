package intent

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Codes of what the layer finds; docs/pipeline.md lists them.
const (
	// CodeSubtypeA: two or more pre-flight checks fail (PL-30, warning).
	CodeSubtypeA = "TICKET-SUBTYPE-A"
	// CodeUncertain and CodeAmbiguous: the level, and a council is due (PL-31, warning).
	CodeUncertain = "INTENT-UNCERTAIN"
	CodeAmbiguous = "INTENT-AMBIGUOUS"
	// CodeWinner: nobody is asked, a reading is taken (PL-33, warning).
	CodeWinner = "INTENT-UNCONFIRMED"
	// CodePausedEdit: edits while the run waits for an answer without default (PL-33, violation).
	CodePausedEdit = "EDIT-WHILE-PAUSED"
	// CodeHeldPhase: a phase runs though its gate is on hold (PL-33, violation).
	CodeHeldPhase = "PHASE-WITHOUT-ALLOW"
	// CodeCheckpointTurn: the checkpoint is too early or too late (PL-32, warning).
	CodeCheckpointTurn = "CHECKPOINT-TURN"
	// CodeEarlyEdit: edits before the checkpoint (PL-32, violation).
	CodeEarlyEdit = "EDIT-BEFORE-CHECKPOINT"
	// CodeCouncilVague: a council about a vague ticket (PL-34, violation).
	CodeCouncilVague = "COUNCIL-FOR-VAGUE"
	// CodeCouncilSkipped: work begins though a council is due (PL-33, warning).
	CodeCouncilSkipped = "COUNCIL-SKIPPED"

	// Checks of a council (PL-35, violations; CodeCouncilConfidence a warning).
	CodeCouncilSize       = "COUNCIL-SIZE"
	CodeCouncilFamilies   = "COUNCIL-FAMILIES"
	CodeCouncilBlind      = "COUNCIL-NOT-BLIND"
	CodeCouncilAnchored   = "COUNCIL-SEES-PRIMARY"
	CodeCouncilTurns      = "COUNCIL-TURNS"
	CodeCouncilDepth      = "COUNCIL-DEPTH"
	CodeCouncilDefence    = "COUNCIL-DEFENCE"
	CodeCouncilRouted     = "COUNCIL-ROUTED-BY-MODEL"
	CodeCouncilOutput     = "COUNCIL-OUTPUT"
	CodeCouncilConfidence = "COUNCIL-BY-CONFIDENCE"

	// CodeAnswerRole: an answer without the operator's credential (PL-36, violation).
	CodeAnswerRole = "ANSWER-WITHOUT-OPERATOR"
	// CodeAnswerUnknown: an answer to no question, or with no option of it (PL-36, warning).
	CodeAnswerUnknown = "ANSWER-UNKNOWN"
	// CodeSkipInterpretation and CodeSkipAssumptions: intent was skipped, and
	// what may not be skipped with it (PL-37, violations).
	CodeSkipInterpretation = "SKIP-WITHOUT-INTERPRETATION"
	CodeSkipAssumptions    = "SKIP-WITHOUT-ASSUMPTIONS"
	// Assumptions that are unchecked, late or missing (PL-38, warnings).
	CodeUnchecked         = "ASSUMPTION-UNCHECKED"
	CodeAssumptionsLate   = "ASSUMPTIONS-LATE"
	CodeAssumptionsMissed = "ASSUMPTIONS-MISSING"
	// Sources of context, open questions and observations (PL-38a, warnings;
	// CodeResolvedDown a violation).
	CodeSourceUnlisted  = "SOURCE-UNLISTED"
	CodeTier2           = "TIER2-OVER-BUDGET"
	CodeContradiction   = "CONTRADICTION-OPEN"
	CodeResolvedDown    = "CONTRADICTION-RESOLVED-DOWN"
	CodeOpenQuestion    = "OPEN-QUESTION"
	CodeNoDisposition   = "OBSERVATION-WITHOUT-DISPOSITION"
	CodeCalibrationLog  = "CALIBRATION-DIFFERS"
	CodeCalibrationHole = "CALIBRATION-INCOMPLETE"
)

// warn issues a warning about the event at hand; more are ids of other events.
func (c *Context) warn(rule, code, what string, more ...string) {
	c.Warning(runevents.WarningIssued{Code: code, Rule: rule, What: what, Evidence: c.evidence(more), CaughtBy: observer})
}

// violate reports a violation.
func (c *Context) violate(rule, code, what string, more ...string) {
	c.Violation(runevents.ViolationDetected{Code: code, Rule: rule, What: what, Evidence: c.evidence(more), CaughtBy: observer})
}

// warnOnce and violateOnce say a thing once in a run; about keeps several apart.
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

const observer = "observer"

func (c *Context) evidence(more []string) []runevents.Reference {
	out := []runevents.Reference{{Event: c.Event.ID}}
	for _, id := range more {
		if id != "" && id != c.Event.ID {
			out = append(out, runevents.Reference{Event: id})
		}
	}
	return out
}

// first notes that something is said and reports whether it is for the first time.
func (c *Context) first(what string) bool {
	s := c.state
	key := events.DerivedID("intent", "told", what, 0)[:12]
	for _, told := range s.Told {
		if told == key {
			return false
		}
	}
	s.Told = kept(append(s.Told, key), 4*c.config.Kept.Log)
	return true
}
