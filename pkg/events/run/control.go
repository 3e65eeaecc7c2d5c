package run

// ControlBucket is the KV bucket that tells harnesses whether to go on (EV-8).
const ControlBucket = "CONTROL"

// ControlState is whether a run or session may continue (RW-33).
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
	Break string       `json:"break,omitempty"` // id of the wiggum.break that caused it
	Who   string       `json:"who,omitempty"`   // who resumed or stopped it
	Why   string       `json:"why,omitempty"`
	// Question is the clarification that a paused run waits for (PL-33).
	Question string `json:"question,omitempty"`
}

// Scope is what a control state or a break is about.
type Scope string

// Scopes.
const (
	ScopeRun     Scope = "run"     // the run and all its sessions
	ScopeSession Scope = "session" // one session
)

// ControlChanged reports that a run or session may, or may no longer, continue; the bucket CONTROL
// is a projection of these events (EV-8). Its subject is the run or session.
type ControlChanged struct {
	State ControlState `json:"state"`
	Break string       `json:"break,omitempty"`
	Who   string       `json:"who,omitempty"`
	Why   string       `json:"why,omitempty"`
	Scope Scope        `json:"scope" jsonschema:"enum=run,enum=session"`
	Run   string       `json:"run,omitempty"` // of a session that belongs to one
	// Question is the clarification.requested that the run waits for: its answer,
	// not a resume, lets the run go on (PL-33).
	Question string `json:"question,omitempty"`
	// Ended reports that the run completed, or the session closed, while nothing stopped it: its key
	// leaves the bucket. A restart is reported again.
	Ended bool `json:"ended,omitempty"`
}

// BreakNoted records a trigger on a break that is open already: a halted run is
// not broken twice (RW-32).
type BreakNoted struct {
	Break    string       `json:"break"` // id of the open wiggum.break
	Kind     BreakKind    `json:"kind"`
	Trigger  BreakTrigger `json:"trigger"`
	Reason   string       `json:"reason"`
	Evidence []string     `json:"evidence,omitempty"`
}

// RunEvaluated closes a run event: all its results precede it. Without it silence would not mean
// that nothing was found.
type RunEvaluated struct {
	Event     string       `json:"event"` // id of the run event
	EventType string       `json:"event_type"`
	Decisions []string     `json:"decisions"`        // ids of what was decided, in order
	State     ControlState `json:"state"`            // of the run afterwards
	Break     string       `json:"break,omitempty"`  // the open one, if there is one
	Failed    string       `json:"failed,omitempty"` // it could not be evaluated, and why
}

// Control is the value in the bucket.
func (c ControlChanged) Control() Control {
	return Control{State: c.State, Break: c.Break, Who: c.Who, Why: c.Why, Question: c.Question}
}

// RunControlKey is the key of a run in the CONTROL bucket.
func RunControlKey(run string) string { return "run." + run }

// SessionControlKey is the key of a session in the CONTROL bucket.
func SessionControlKey(session string) string { return "session." + session }
