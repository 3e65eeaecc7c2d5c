package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// layerRules apply to an event in this order. At the end of a cycle, a phase or the run,
// boundaryRules run within them; the archetypes' shadows are listed in shadows.go.
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

// boundaries lists the types of events at which a cycle or a phase may end: an event that
// names a later cycle ends the current one.
var boundaries = run.Types(runevents.TypeAgentCompleted, runevents.TypeReviewCompleted, runevents.TypePhaseStarted, runevents.TypePhaseCompleted, runevents.TypeCycleCompleted, runevents.TypeRunCompleted)

// boundaryRules apply at the end of a phase, a cycle and the run.
var boundaryRules = run.List(tunnelVision, echoChamber, tooManyTracked)
