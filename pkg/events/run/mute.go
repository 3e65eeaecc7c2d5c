package run

import (
	"encoding/json"
	"fmt"
	"time"
)

// MuteScope is how much a mute silences (DP-25).
type MuteScope string

// Scopes of a mute. A session or project mute does not affect B1 and B2 escalations; only
// a mute that names the detector or the subject silences those.
const (
	MuteDetector MuteScope = "detector"
	MuteSubject  MuteScope = "subject"
	MuteSession  MuteScope = "session"
	MuteProject  MuteScope = "project"
)

// MuteDetails is the details object of operator.act mute. Turns counts from the session's
// current turn; Until is an RFC 3339 time; without either, the mute lasts as long as the
// session's state.
type MuteDetails struct {
	Scope    MuteScope  `json:"scope"`
	Detector string     `json:"detector,omitempty"`
	Subject  string     `json:"subject,omitempty"`
	Turns    int        `json:"turns,omitempty"`
	Until    *time.Time `json:"until,omitempty"`
}

// ParseMute reads and validates the details of a mute, so that the edges can refuse an
// invalid one before it is published.
func ParseMute(act *OperatorAct) (MuteDetails, error) {
	var d MuteDetails
	if err := json.Unmarshal(act.Details, &d); err != nil {
		return d, fmt.Errorf("read mute details: %w", err)
	}
	if d.Turns < 0 {
		return d, fmt.Errorf("mute for %d turns: use 1 or more", d.Turns)
	}
	return d, d.Scope.Check(d.Detector, d.Subject)
}

// Check returns an error for an unknown scope, and for a scope whose required detector or
// subject is empty.
func (s MuteScope) Check(detector, subject string) error {
	switch {
	case s == MuteDetector && detector == "":
		return fmt.Errorf("a mute of scope detector requires a detector")
	case s == MuteSubject && subject == "":
		return fmt.Errorf("a mute of scope subject requires a subject")
	case s == MuteDetector, s == MuteSubject, s == MuteSession, s == MuteProject:
		return nil
	}
	return fmt.Errorf("scope %q: use detector, subject, session or project", s)
}

// ControlBucket is the KV bucket from which harnesses read whether to continue (EV-8).
const ControlBucket = "CONTROL"

// ControlState describes whether a run or session may continue (RW-33).
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
	// Question is the clarification that a paused run is waiting for (PL-33).
	Question string `json:"question,omitempty"`
}

// Scope is what a control state or a break applies to.
type Scope string

// Scopes.
const (
	ScopeRun     Scope = "run"     // the run and all its sessions
	ScopeSession Scope = "session" // one session
)

// ControlChanged reports that a run or session may continue, or no longer may; the bucket
// CONTROL is a projection of these events (EV-8). Its subject is the run or session.
type ControlChanged struct {
	State ControlState `json:"state"`
	Break string       `json:"break,omitempty"`
	Who   string       `json:"who,omitempty"`
	Why   string       `json:"why,omitempty"`
	Scope Scope        `json:"scope" jsonschema:"enum=run,enum=session"`
	Run   string       `json:"run,omitempty"` // of a session that belongs to a run
	// Question is the clarification.requested that the run is waiting for: answering it
	// lets the run continue, a resume does not (PL-33).
	Question string `json:"question,omitempty"`
	// Ended reports that the run completed, or the session closed, without being stopped:
	// its key is removed from the bucket. A restart is reported again.
	Ended bool `json:"ended,omitempty"`
}

// BreakNoted records another trigger on an open break: a halted run does not break twice
// (RW-32).
type BreakNoted struct {
	Break    string       `json:"break"` // id of the open wiggum.break
	Kind     BreakKind    `json:"kind"`
	Trigger  BreakTrigger `json:"trigger"`
	Reason   string       `json:"reason"`
	Evidence []string     `json:"evidence,omitempty"`
}

// RunEvaluated closes a run event: all its results precede it. It distinguishes an event
// without findings from one that was not evaluated yet.
type RunEvaluated struct {
	Event     string       `json:"event"` // id of the run event
	EventType string       `json:"event_type"`
	Decisions []string     `json:"decisions"`        // ids of the decisions, in order
	State     ControlState `json:"state"`            // of the run afterwards
	Break     string       `json:"break,omitempty"`  // the open break, if any
	Failed    string       `json:"failed,omitempty"` // the reason if it could not be evaluated
}

// Control returns the value for the bucket.
func (c ControlChanged) Control() Control {
	return Control{State: c.State, Break: c.Break, Who: c.Who, Why: c.Why, Question: c.Question}
}

// RunControlKey returns the key of a run in the CONTROL bucket.
func RunControlKey(run string) string { return "run." + run }

// SessionControlKey returns the key of a session in the CONTROL bucket.
func SessionControlKey(session string) string { return "session." + session }
