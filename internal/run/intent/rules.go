package intent

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
)

// layerRules are applied to an event in this order, once the layer is on.
var layerRules = run.List(
	settings,
	ticketChecked,
	tier2Limited,
	contradictionsResolved,
	sourcesGiven,

	checkpointTurn,
	checkpointBeforeEdits,
	rivalNamed,
	checkpointTaken,
	failedSourcesListed,
	enoughContext,
	readingSkipped,
	confidence,

	assumptionsLate,
	assumptionsChecked,
	challengerSpawns,
	challengerSpawned,

	agentWorked,
	misreadByAgent,
	misreadByReview,
	phaseWorked,
	phaseRanHeld,
	observationsPlaced,
	questionsKept,

	sessionTurn,
	sourceEdited,
	editWhilePaused,
	firstEdit,
	workBegins,
	skippedIntent,
	assumptionsMissed,
	questionsUnresolved,
	councilSkipped,

	councilHeld,
	councilVague,
	councilMembers,
	councilOutput,
	councilConcluded,

	clarificationAnswered,
	answeredByAct,
	clarificationDefaulted,
	calibrationRecorded,
	runCompleted,
	gatesHeld,
)

// offRules are applied while the layer is off: they keep what matters later.
var offRules = run.List(firstEditAhead, memberAhead)

// signalRules are applied by the evaluator.
var signalRules = run.List(wrongPrior)
