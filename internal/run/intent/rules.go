package intent

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
)

// layerRules apply to an event in this order, once the layer is on.
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

// offRules apply while the layer is off, and record what later rules need.
var offRules = run.List(firstEditAhead, memberAhead)

// signalRules apply in the evaluator.
var signalRules = run.List(wrongPrior)
