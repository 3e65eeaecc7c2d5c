package pipeline

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
)

// layerRules are applied to an event in this order.
var layerRules = run.List(
	turnedOn,

	runStarted,
	outsideHours,
	goalAsked,
	runAnnounced,
	runResumed,
	lastStepAtEnd,
	checklistAtEnd,
	runCompleted,

	lastStepBefore,
	fixLoop,
	phaseAsked,
	phaseRepeated,
	phaseStarted,

	phaseClosed,
	phaseWithoutAllow,
	artifactsOwed,
	fieldsBeforeFailure,
	resultClaimed,
	phaseHandedOver,
	handoverEscalated,
	checklistShaped,
	slicesCompleted,
	sessionsAdvanced,

	contractRegistered,
	loopControl,
	contextTooLarge,
	contextCut,
	contextUnsaved,

	agentContext,
	agentContaminated,
	agentStarved,
	agentSpawned,
	agentInWorktree,
	worktreeDeclared,
	agentCitations,
	agentSlice,
	agentAtRest,
	agentWithoutAllow,
	agentJudged,
	reviewCitations,
	reviewJudged,
	checklistUnreported,
	checklistFailed,
	taskSlice,

	scopeMiscounted,
	scopeCreep,
	creepSignalled,
	ticketAsked,
	filesProposed,
	markdownCommitted,

	mergeAsked,
	mergedInSpite,
	handoverWaived,
	nextPhaseAsked,
	spawnAsked,
	mergeAskedAhead,

	planEdited,
	sessionActive,
	taskAsked,
	sessionOpened,
	sessionClosed,
	waivedByAct,

	workspaceNotified,
	overlapAsked,
	resumeAnswered,
	sessionSilent,
)
