package budget

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

// end is one way in which a signal ends without a fire: the event that tells it
// and the word for its reason, which metrics count (DP-18).
type end struct {
	typ  events.Type
	code string
}

// Ends of signals.
var (
	belowQueue       = end{events.TypeSignalLogged, "below_queue"}
	capped           = end{events.TypeSignalLogged, "capped"}
	observedDetector = end{events.TypeSignalLogged, "observed_detector"}
	observedAll      = end{events.TypeSignalLogged, "observe_mode"}
	overridden       = end{events.TypeSignalSuppressed, "override"} // SW-40 … SW-42
	detectorOff      = end{events.TypeSignalSuppressed, "detector_off"}
	mutedSignal      = end{events.TypeSignalSuppressed, "muted"}
	selfCorrected    = end{events.TypeSignalSelfCorrected, "corrected"}
	tooOld           = end{events.TypeSignalExpired, "too_old"}
	queueFull        = end{events.TypeSignalExpired, "queue_full"}
	joinedCause      = end{events.TypeSignalCoalesced, "same_cause"}
	sessionClosed    = end{events.TypeSignalUnsent, "session_closed"}
)
