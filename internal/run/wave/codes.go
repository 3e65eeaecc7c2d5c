package wave

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// Codes of violations and warnings.
const (
	codeAutonomousRecovery  = "SAW-AUTONOMOUS-RECOVERY"
	codeMergedWithoutGate   = "MERGED-WITHOUT-GATE"
	codeMergedNothing       = "MERGED-NOTHING"
	codeCommitMain          = "SAW-COMMIT-MAIN"
	codeMergeWithoutAllow   = "MERGE-WITHOUT-ALLOW"
	codeWorktreeName        = "WORKTREE-NAME"
	codeOwnershipOverlap    = "OWNERSHIP-OVERLAP"
	codeFilesOverlap        = "FILES-OVERLAP"
	codeForeignFile         = "FOREIGN-FILE"
	codeWithoutWorktree     = "AGENT-WITHOUT-WORKTREE"
	codeOutsideWorktree     = "AGENT-OUTSIDE-WORKTREE"
	codeCosmeticReview      = "REVIEW-GATE-COSMETIC"
	codeWorktreeTooEarly    = "WORKTREE-BEFORE-SCAFFOLD"
	codeContractFrozen      = "CONTRACT-FROZEN"
	codeOrchestratorSource  = "ORCHESTRATOR-COMMITS-SOURCE"
	codeOrchestratorPlan    = "ORCHESTRATOR-WRITES-PLAN"
	codeOrchestratorScaff   = "ORCHESTRATOR-WRITES-SCAFFOLD"
	codeOrchestratorAgent   = "ORCHESTRATOR-AS-AGENT"
	codeScoutSource         = "SCOUT-COMMITS-SOURCE"
	codeOutOfSequence       = "WAVE-OUT-OF-SEQUENCE"
	codeScaffoldLate        = "SCAFFOLD-AFTER-FIRST-WAVE"
	codeReportWithoutCommit = "REPORT-WITHOUT-COMMIT"
	codeReportInChat        = "REPORT-ONLY-IN-CHAT"
	codeUnsuitable          = "NOT-SUITABLE-IGNORED"
	codeIllegalTransition   = "ILLEGAL-TRANSITION"
	codeTaintNotNoted       = "TAINT-NOT-NOTED"
	codeActedWithoutAllow   = "ACTED-WITHOUT-ALLOW"
	codeField0Edits         = "FIELD0-FAILED-EDITS"
	codeUndeclared          = "FILES-UNDECLARED"

	codeClaimDiffers     = "CLAIM-DIFFERS"
	codeUnprovenClaim    = "UNPROVEN-CLAIM"
	codeIdenticalFile    = "IDENTICAL-FILE"
	codeOutsideOwnership = "FILES-OUTSIDE-OWNERSHIP"
	codeContractChanged  = "CONTRACT-CHANGED"
	codeScaffoldsForSolo = "SCAFFOLDS-FOR-SOLO"
	codeSoloMerge        = "SOLO-MERGE"
	codeAgentBlocked     = "AGENT-BLOCKED"
	codeLaunchedBlocking = "LAUNCHED-BLOCKING"
	codeCompileOnly      = "COMPILE-ONLY"
	codeUnscopedByAgent  = "UNSCOPED-BY-AGENT"
	codeRecoveryMismatch = "RECOVERY-MISMATCH"
	codeAcceptedUntested = "ACCEPTED-UNTESTED"
	codeHookMissing      = "HOOK-MISSING"
	codeHookRemovedEarly = "HOOK-REMOVED-EARLY"
	codeHookNotRemoved   = "HOOK-NOT-REMOVED"
	codeHookNotRestored  = "HOOK-NOT-RESTORED"
	codeField0Missing    = "FIELD0-MISSING"
)

// row is the specification's entry for a code.
type row struct {
	rule    string
	touches []string // invariants and execution rules (WP-19)
	warning bool
}

// codeOf returns the row of a code. A test checks that each code above has one.
func codeOf(code string) row {
	owners := spec.CodedBy(code)
	if len(owners) == 0 {
		return row{rule: "WP-19", warning: true}
	}
	c := owners[0].Code(code)
	return row{rule: owners[0].ID, touches: c.Touches, warning: c.Severity == spec.Warning}
}

// ruleIDs returns the rules of the wave codes, in their order.
func ruleIDs() []string {
	var out []string
	for _, r := range spec.Rules() {
		if slices.ContainsFunc(r.Codes, func(c spec.Code) bool { return len(c.Touches) > 0 }) {
			out = append(out, r.ID)
		}
	}
	return out
}
