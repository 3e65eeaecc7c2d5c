package session

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
