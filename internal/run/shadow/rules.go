package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// layerRules are applied to an event in this order. Where a cycle, a phase or the
// run ends, boundaryRules run within them; the archetypes' shadows are the table
// in shadows.go.
var layerRules = run.List(
	sessionWorked,
	sessionOpened,
	deferredWarnings,

	runStarted,
	ticketReceived,
	agentSpawned,
	lessonsSpawned,
	promptTooLong,
	explorersSpawned,
	designerSpawned,
	agentStarted,
	lessonsRemembered,
	lessonsInjected,
	proposalPublished,
	testCompleted,

	phaseStarted,
	phaseCompleted,
	longPlan,
	cycleCompleted,

	workCompleted,
	reviewCompleted,
	lessonRepeated,
	findingsReported,
	findingsListed,
	designUnclaimed,
	designMade,
	designPlanned,
	workChanged,
	goldPlating,
	findingsAddressed,
	scopeCreep,
	workClosed,

	boundary,
	cycleEntered,
	runCompleted,
)

// boundaries are the types of events at which a cycle or a phase may end: those
// that name a later cycle end the one before.
var boundaries = run.Types(runevents.TypeAgentCompleted, runevents.TypeReviewCompleted, runevents.TypePhaseStarted, runevents.TypePhaseCompleted, runevents.TypeCycleCompleted, runevents.TypeRunCompleted)

// boundaryRules are applied at the end of a phase, a cycle and the run.
var boundaryRules = run.List(tunnelVision, echoChamber, tooManyTracked)
