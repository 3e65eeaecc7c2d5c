package budget

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// end is one way in which a signal ends without a fire: its event and the word for its reason,
// which metrics count (DP-18).
type end struct {
	typ  events.Type
	code string
}

// Ends of signals.
var (
	belowQueue       = end{sessionevents.TypeSignalLogged, "below_queue"}
	capped           = end{sessionevents.TypeSignalLogged, "capped"}
	observedDetector = end{sessionevents.TypeSignalLogged, "observed_detector"}
	observedAll      = end{sessionevents.TypeSignalLogged, "observe_mode"}
	overridden       = end{sessionevents.TypeSignalSuppressed, "override"} // SW-40 … SW-42
	detectorOff      = end{sessionevents.TypeSignalSuppressed, "detector_off"}
	mutedSignal      = end{sessionevents.TypeSignalSuppressed, "muted"}
	selfCorrected    = end{sessionevents.TypeSignalSelfCorrected, "corrected"}
	tooOld           = end{sessionevents.TypeSignalExpired, "too_old"}
	queueFull        = end{sessionevents.TypeSignalExpired, "queue_full"}
	joinedCause      = end{sessionevents.TypeSignalCoalesced, "same_cause"}
	sessionClosed    = end{sessionevents.TypeSignalUnsent, "session_closed"}
)
