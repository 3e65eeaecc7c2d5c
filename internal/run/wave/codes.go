package wave

// Severity says whether a code is a violation or a warning.
type Severity string

// Severities.
const (
	Violation Severity = "violation"
	Warning   Severity = "warning"
)

// Code is a row of the table of judgements; docs/wave-protocol.md prints it.
type Code struct {
	Code       string
	Rule       string   // WP-4; some are told under another rule where that says more
	Invariants []string // I and E numbers (WP-19)
	Severity   Severity
	What       string // in general; an event tells the particulars
}

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

// Codes are all codes in the order of their rules.
func Codes() []Code {
	return []Code{
		{codeClaimDiffers, "WP-1", list("E4"), Warning, "A claimed number of commits differs from what infrastructure reports; the lower one counts."},
		{codeAutonomousRecovery, "WP-2", list("E4", "I6"), Violation, "After the trip wire someone other than an operator chose how to go on, or went on."},
		{codeMergedWithoutGate, "WP-3", list("E4", "I3"), Violation, "A wave was merged without an allow of the gate."},
		{codeMergedNothing, "WP-3", list("E4", "I5"), Violation, "Git says that there was nothing to merge: the agent never committed to its branch."},
		{codeCommitMain, "WP-4", list("E4"), Violation, "A commit to main while worktrees of the run exist."},
		{codeMergeWithoutAllow, "WP-4", list("E4"), Violation, "A branch was merged into main before the gate allowed it."},
		{codeWorktreeName, "WP-5", list("E5"), Violation, "A worktree is not named .claude/worktrees/wave{N}-agent-{letter}, or its branch not like it."},
		{codeOwnershipOverlap, "WP-6", list("I1", "E3"), Violation, "Two agents of a wave are planned to own the same file."},
		{codeFilesOverlap, "WP-6", list("I1", "E12"), Violation, "Two agents of a wave changed the same file."},
		{codeForeignFile, "WP-6", list("I1", "E12"), Violation, "An agent changed a file that another one owns."},
		{codeIdenticalFile, "WP-6", list("I1", "E12"), Warning, "Two agents made the same file with the same content."},
		{codeOutsideOwnership, "WP-6", list("I1"), Warning, "An agent changed files outside its own set that are shared with nobody."},
		{codeWithoutWorktree, "WP-7", list("E4"), Violation, "An agent of a wave of two or more started without its worktree (layer 1)."},
		{codeOutsideWorktree, "WP-7", list("E4"), Violation, "An agent started elsewhere than in its worktree (layer 2)."},
		{codeCosmeticReview, "WP-8", list("I2"), Violation, "A scaffold file was committed before an operator approved the plan."},
		{codeWorktreeTooEarly, "WP-9", list("I2"), Violation, "A worktree was made while a scaffold is pending."},
		{codeContractChanged, "WP-11", list("E2"), Warning, "Contracts changed after the approval: it must be given again."},
		{codeContractFrozen, "WP-11", list("E2", "I2"), Violation, "Contracts changed after the first worktree."},
		{codeOrchestratorSource, "WP-12", list("I6"), Violation, "The orchestrator committed source that is not exempt."},
		{codeOrchestratorPlan, "WP-12", list("I6"), Violation, "The orchestrator wrote the plan document."},
		{codeOrchestratorScaff, "WP-12", list("I6"), Violation, "The orchestrator wrote scaffolds."},
		{codeOrchestratorAgent, "WP-12", list("I6"), Violation, "The orchestrator did a wave agent's work."},
		{codeScoutSource, "WP-12", list("I6"), Violation, "The scout committed source."},
		{codeScaffoldsForSolo, "WP-13", list("I2"), Warning, "Scaffolds are pending although all waves are solo."},
		{codeSoloMerge, "WP-13", list("I3"), Warning, "A merge was told of a solo wave, which has nothing to merge."},
		{codeOutOfSequence, "WP-14", list("I3"), Violation, "A wave began before the one before it was merged and verified."},
		{codeScaffoldLate, "WP-14", list("E2"), Violation, "Scaffolding began in a later wave than the first."},
		{codeAgentBlocked, "WP-15", list("E7", "E8"), Warning, "An agent did not complete its work; the wave is blocked."},
		{codeReportWithoutCommit, "WP-15", list("I5"), Violation, "An agent reported without a commit."},
		{codeReportInChat, "WP-15", list("I4", "E14"), Violation, "A completion report stands only in the chat, not in the plan document."},
		{codeUnsuitable, "WP-15", list("I4"), Violation, "A wave followed the verdict NOT SUITABLE."},
		{codeLaunchedBlocking, "WP-15", list("E1"), Warning, "Agents of a wave ran one after the other."},
		{codeCompileOnly, "WP-15", list("E13"), Warning, "The verification only compiled although tests exist."},
		{codeUnscopedByAgent, "WP-15", list("E10"), Warning, "An agent ran an unscoped command."},
		{codeIllegalTransition, "WP-16", list("I2", "I3"), Violation, "The state machine lists no such transition; the state stays."},
		{codeRecoveryMismatch, "WP-16", list("E4"), Warning, "A recovery was chosen for another wave than the one that waits."},
		{codeTaintNotNoted, "WP-16", list("E4"), Violation, "The commit after an accepted isolation failure does not note it."},
		{codeAcceptedUntested, "WP-16", list("E4", "E13"), Warning, "Work was accepted as it is and no unscoped test passed since."},
		{codeHookMissing, "WP-18", list("E4"), Warning, "Agents started without the pre-commit hook (layer 0)."},
		{codeHookRemovedEarly, "WP-18", list("E4"), Warning, "The hook was removed before the merge."},
		{codeHookNotRemoved, "WP-18", list("E4"), Warning, "The hook was not removed after the merge."},
		{codeHookNotRestored, "WP-18", list("E4"), Warning, "The hook that was there before was not put back."},
		{codeField0Missing, "WP-18", list("E4"), Warning, "An agent worked without its self-verification (layer 3)."},
		{codeField0Edits, "WP-18", list("E4"), Violation, "An agent's self-verification failed and it edited all the same."},
		{codeActedWithoutAllow, "WP-16", list("E4"), Violation, "Something was done that a gate had denied."},
		{codeUnprovenClaim, "EV-10", list("I6"), Warning, "A fact was published without the credential it needs; it is taken as a claim."},
	}
}

func list(names ...string) []string { return names }

// codeOf is the row of a code.
func codeOf(code string) Code {
	for _, c := range Codes() {
		if c.Code == code {
			return c
		}
	}
	return Code{Code: code, Rule: "WP-19", Severity: Warning}
}
