package policy

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
)

// layerRules apply to an event in this order. Rules that only fold come first, so that
// the others see the current state of the run; after them, hard breaks come before soft
// ones.
var layerRules = run.List(
	turnEnded,
	haltIgnoredBySession,
	sessionOpened,
	sessionClosed,

	refused,
	accepted,
	approvedUnknown,
	unknownValues,
	haltIgnoredByRun, // uses the state before the event
	lastEvents,
	place,
	leaving,
	quality,
	resumed,
	recovered,
	agentFailures,
	taskFailures,
	brokenSuite,
	reviewFindings,
	cycleEnded,
	oscillating,
	identicalFindings,
	converging,
	budgetThresholds,
	reviewerModels,
	workSaved,
	checkpointDone,
	taskCheckpoint,
	keepTime,

	issueSeen,
	repeatedShadow,
	reportedShadow,
	ladder,

	acknowledged,
	resumedByAct,
	haltedByAct,
	selfReleased,
	timedCheckpoint,
	reminder,
)
