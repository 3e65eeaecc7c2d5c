package policy

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
)

// layerRules are applied to an event in this order. Those that only fold come first, so
// that the others see the run as it is now; among the others, those that halt at
// once come before those that let the run finish.
var layerRules = run.List(
	turnEnded,
	haltIgnoredBySession,
	sessionOpened,
	sessionClosed,

	haltIgnoredByRun, // by the state before the event
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
	taskCheckpoint,
	keepTime,

	issueSeen,
	repeatedShadow,
	ladder,

	acknowledged,
	resumedByAct,
	timedCheckpoint,
	reminder,
)
