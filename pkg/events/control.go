package events

// ControlBucket is the KV bucket that tells harnesses whether to go on (EV-8).
const ControlBucket = "CONTROL"

// ControlState says whether a run or session may go on (RW-33).
type ControlState string

// Control states. A missing key is unknown, never running (EV-8).
const (
	ControlUnknown  ControlState = "unknown"
	ControlRunning  ControlState = "running"
	ControlPaused   ControlState = "paused"
	ControlDraining ControlState = "draining" // finish the current task, then halt
	ControlHalted   ControlState = "halted"
)

// Control is one value of the CONTROL bucket, a projection of DECISIONS.
type Control struct {
	State ControlState `json:"state"`
	Break string       `json:"break,omitempty"` // id of the wiggum.break behind it
	Who   string       `json:"who,omitempty"`   // who resumed or stopped it
	Why   string       `json:"why,omitempty"`
}

// RunControlKey is the key of a run in the CONTROL bucket.
func RunControlKey(run string) string { return "run." + run }

// SessionControlKey is the key of a session in the CONTROL bucket.
func SessionControlKey(session string) string { return "session." + session }
