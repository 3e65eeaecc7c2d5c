package budget

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// end is one way in which a signal ends without an interrupt: its event and the code of
// its reason, which metrics count (DP-18).
type end struct {
	typ  events.Type
	code sessionevents.DispositionCode
}

// Ends of signals.
var (
	belowQueue       = end{sessionevents.TypeSignalLogged, sessionevents.CodeBelowQueue}
	withheld         = end{sessionevents.TypeSignalLogged, sessionevents.CodeReading}
	refuted          = end{sessionevents.TypeSignalLogged, sessionevents.CodeRefuted}
	notWorthSaying   = end{sessionevents.TypeSignalLogged, sessionevents.CodeNotWorthSaying}
	capped           = end{sessionevents.TypeSignalLogged, sessionevents.CodeCapped}
	observedDetector = end{sessionevents.TypeSignalLogged, sessionevents.CodeObservedDetector}
	observedAll      = end{sessionevents.TypeSignalLogged, sessionevents.CodeObserveMode}
	overridden       = end{sessionevents.TypeSignalSuppressed, sessionevents.CodeOverride} // SW-40 … SW-42
	detectorOff      = end{sessionevents.TypeSignalSuppressed, sessionevents.CodeDetectorOff}
	mutedSignal      = end{sessionevents.TypeSignalSuppressed, sessionevents.CodeMuted}
	selfCorrected    = end{sessionevents.TypeSignalSelfCorrected, sessionevents.CodeCorrected}
	tooOld           = end{sessionevents.TypeSignalExpired, sessionevents.CodeTooOld}
	queueFull        = end{sessionevents.TypeSignalExpired, sessionevents.CodeQueueFull}
	joinedCause      = end{sessionevents.TypeSignalCoalesced, sessionevents.CodeSameCause}
	sessionClosed    = end{sessionevents.TypeSignalUnsent, sessionevents.CodeSessionClosed}
)
