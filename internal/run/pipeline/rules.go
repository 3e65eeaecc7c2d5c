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
	phaseLost,
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
	planIncomplete,
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
	reviewerInformed,
	agentSpawned,
	agentInWorktree,
	worktreeDeclared,
	phaseAgentEnded,
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
	completeWithOpenItems,
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
	blindRead,
	delegated,
	taskAsked,
	sessionOpened,
	sessionClosed,
	waivedByAct,

	workspaceNotified,
	overlapAsked,
	resumeAnswered,
	sessionSilent,
)
