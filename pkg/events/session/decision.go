package session

// Disposition is the data of signal.logged, signal.suppressed,
// signal.self_corrected, signal.expired, signal.coalesced and signal.unsent:
// the one end of a signal that did not fire (DP-18).
type Disposition struct {
	Session  string `json:"session"`
	Signal   string `json:"signal"`
	Detector string `json:"detector"`
	Turn     int    `json:"turn"` // in which the decision was made
	Reason   string `json:"reason"`
	// Code is the reason as a word that can be counted.
	Code    DispositionCode `json:"code,omitempty" jsonschema:"enum=below_queue,enum=capped,enum=reading,enum=refuted,enum=not_worth_saying,enum=observed_detector,enum=observe_mode,enum=override,enum=detector_off,enum=muted,enum=corrected,enum=too_old,enum=queue_full,enum=same_cause,enum=session_closed"`
	Urgency Urgency         `json:"urgency"`
	Into    string          `json:"into,omitempty"` // signal.coalesced: the signal it was merged into
}

// InterruptQueued reports that a signal is waiting for a natural pause (DP-17).
type InterruptQueued struct {
	Session  string      `json:"session"`
	Signal   string      `json:"signal"`
	Detector string      `json:"detector"`
	Turn     int         `json:"turn"`
	Urgency  Urgency     `json:"urgency"`
	Reason   QueueReason `json:"reason" jsonschema:"enum=below_fire,enum=outranked,enum=cooldown,enum=budget_exhausted"`
	Position int         `json:"position"` // from 1
}

// Target binds an interrupt to a session and run instance (DP-20).
type Target struct {
	Session  string `json:"session"`
	Instance string `json:"instance,omitempty"`
}

// BudgetChange is the interrupt budget before and after an interrupt (DP-15).
type BudgetChange struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// InterruptFired is a message to the agent (DP-20).
type InterruptFired struct {
	Session      string       `json:"session"`
	Run          string       `json:"run,omitempty"`
	Turn         int          `json:"turn"`
	ID           string       `json:"id"`
	Layer        Layer        `json:"layer,omitempty"`
	Detector     string       `json:"detector"`
	Class        Class        `json:"class,omitempty"`
	Signals      []string     `json:"signals"`
	Urgency      Urgency      `json:"urgency"`
	UrgencyLabel string       `json:"urgency_label"` // "4.0", "B1-ESCALATE", "B2-ESCALATE"
	Headline     string       `json:"headline"`
	Message      string       `json:"message"`
	Reason       string       `json:"reason"`
	HoldUntil    HoldUntil    `json:"hold_until" jsonschema:"enum=immediate,enum=next_pause,enum=end_of_session"`
	FromQueue    bool         `json:"from_queue"`
	Budget       BudgetChange `json:"budget"`
	Evidence     []Evidence   `json:"evidence,omitempty"`
	ExpiresTurn  int          `json:"expires_turn"`
	Target       Target       `json:"target"`
}

// handleLength is how much of an interrupt's id a message shows.
const handleLength = 6

// Handle returns the ending of a message to an agent or person, which makes it possible
// to answer (CO-7): in brackets the detector and the first letters of the interrupt's id,
// which `dismiss` and `ack` accept. It is empty for an interrupt about a run, which
// cannot be dismissed.
func (d *InterruptFired) Handle() string {
	if d.Layer != LayerSession || d.ID == "" {
		return ""
	}
	return " (" + d.Detector + " · " + d.ID[:min(len(d.ID), handleLength)] + ")"
}

// BudgetExhausted reports how many signals are waiting because the budget is spent
// (DP-15).
type BudgetExhausted struct {
	Session string `json:"session"`
	Turn    int    `json:"turn"`
	Queued  int    `json:"queued"`
	Note    string `json:"note"` // "Budget exhausted — N signals queued"
}

// DispositionCode is why a signal ended without an interrupt (DP-18).
type DispositionCode string

// Codes of signal.logged, signal.suppressed, signal.self_corrected,
// signal.expired, signal.coalesced and signal.unsent.
const (
	CodeBelowQueue       DispositionCode = "below_queue"      // its urgency is below 2.0
	CodeCapped           DispositionCode = "capped"           // a validator limits its urgency
	CodeReading          DispositionCode = "reading"          // it rests on an interpretation of words (JD-2)
	CodeRefuted          DispositionCode = "refuted"          // a second opinion calls it wrong (AD-2)
	CodeNotWorthSaying   DispositionCode = "not_worth_saying" // a second opinion calls it right but not worth an interrupt
	CodeObservedDetector DispositionCode = "observed_detector"
	CodeObserveMode      DispositionCode = "observe_mode"
	CodeOverride         DispositionCode = "override" // SW-40 … SW-42
	CodeDetectorOff      DispositionCode = "detector_off"
	CodeMuted            DispositionCode = "muted"
	CodeCorrected        DispositionCode = "corrected" // the agent corrected it
	CodeTooOld           DispositionCode = "too_old"
	CodeQueueFull        DispositionCode = "queue_full"
	CodeSameCause        DispositionCode = "same_cause" // merged into another signal
	CodeSessionClosed    DispositionCode = "session_closed"
)

// QueueReason is why a signal is waiting for a natural pause (DP-13 … DP-15, DP-17).
type QueueReason string

// Reasons of interrupt.queued.
const (
	ReasonBelowFire       QueueReason = "below_fire" // its urgency is from 2.0 to 3.9
	ReasonOutranked       QueueReason = "outranked"  // another one fired in this turn
	ReasonCooldown        QueueReason = "cooldown"
	ReasonBudgetExhausted QueueReason = "budget_exhausted"
)

// HoldUntil is when to deliver an interrupt (DP-20).
type HoldUntil string

// Moments of delivery.
const (
	HoldImmediate    HoldUntil = "immediate"
	HoldNextPause    HoldUntil = "next_pause"
	HoldEndOfSession HoldUntil = "end_of_session"
)

// PauseReason is why the end of a turn is a natural pause (DP-16).
type PauseReason string

// Reasons of a natural pause.
const (
	PauseDiffThenPlan  PauseReason = "diff_then_plan"
	PauseCompleted     PauseReason = "completed" // a piece of work, according to the agent or its list
	PauseTests         PauseReason = "tests"     // tests or a build run
	PauseEndOfResponse PauseReason = "end_of_response"
)

// ConditionSource is the source of a condition; structured fields override text.
type ConditionSource string

// Sources of a condition.
const (
	SourceFields  ConditionSource = "fields"  // of the run event
	SourceText    ConditionSource = "text"    // the agent's output
	SourceSession ConditionSource = "session" // what the session's turns show
)
