package wave

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
)

// layerRules apply to an event in this order. The first rule for an event folds its
// subject and the next ones evaluate it; a rule that moves the state machine comes after
// those that depend on the state before.
var layerRules = run.List(
	sources,
	unprovenClaim,

	runStarted,
	documented,
	planScouted,
	scaffoldedByScout,
	planApproved,
	scaffoldsForSolo,
	contractChanged,
	scaffoldLate,
	scaffoldStarted,
	scaffoldByOrchestrator,
	scaffoldBroken,
	scaffoldBeforeReview,
	scaffoldCommitted,
	scaffoldFailed,
	wavePlanned,
	scaffoldsForPlannedSolo,
	ownershipOverlap,

	gateAsked,
	waveUnknown,
	waveStartedAutonomously,
	waveLaunched,

	agentStarting,
	agentStartedAutonomously,
	agentLaunched,
	agentsInSequence,
	agentStarted,
	orchestratorStartsAsAgent,
	hookMissing,
	agentIsolated,

	agentReported,
	orchestratorReportsAsAgent,
	reportWithoutCommit,
	reportInChat,
	reportWithoutField0,
	reportedByDocument,
	agentEnded,
	agentDescoped,

	worktreeMisnamed,
	worktreeUnknown,
	worktreeMadeAutonomously,
	worktreeGate,
	worktreeCreated,
	worktreeRemoved,

	hookInstalled,
	hookRemovedEarly,
	hookNotRestored,
	hookRemoved,
	field0Checked,

	commitSeen,
	commitBlocked,
	commitOnBranch,
	commitElsewhere,
	commitBeforeReview,
	commitOntoMain,
	committedAutonomously,
	mergeCommit,
	taintNoted,
	commitToMain,
	commitByRole,
	commitsCounted,

	branchMerged,
	mergeAsked,
	waveMerged,
	mergeCompleted,
	recoverySelected,
	waveTested,
	checklistReviewed,

	hookAtEnd,
	acceptedUntested,
	runCompleted,

	sessionTurn,
	sessionOpened,
	sessionDisplaced,
)
