package events

// Type is a CloudEvents type of the contract (events.md, "Types").
type Type string

// Types that publishers send.
const (
	TypeSessionOpened     Type = "session.opened"
	TypeTurnRaw           Type = "turn.raw"
	TypeHookReceived      Type = "hook.received"
	TypeSessionClosed     Type = "session.closed"
	TypeInterruptDelivery Type = "interrupt.delivery"
	TypeOperatorAct       Type = "operator.act"
	TypeTimerExpired      Type = "timer.expired"
)

// Types that the services send.
const (
	TypeTurnSegmented          Type = "turn.segmented"
	TypeTimerSet               Type = "timer.set"
	TypeSignalDetected         Type = "signal.detected"
	TypeTurnEvaluated          Type = "turn.evaluated"
	TypeSignalLogged           Type = "signal.logged"
	TypeSignalSuppressed       Type = "signal.suppressed"
	TypeSignalSelfCorrected    Type = "signal.self_corrected"
	TypeSignalExpired          Type = "signal.expired"
	TypeSignalCoalesced        Type = "signal.coalesced"
	TypeSignalUnsent           Type = "signal.unsent"
	TypeInterruptQueued        Type = "interrupt.queued"
	TypeInterruptFired         Type = "interrupt.fired"
	TypeBudgetExhausted        Type = "budget.exhausted"
	TypeEscalationRaised       Type = "escalation.raised"
	TypeWiggumBreak            Type = "wiggum.break"
	TypeGateDecided            Type = "gate.decided"
	TypeViolationDetected      Type = "violation.detected"
	TypeWarningIssued          Type = "warning.issued"
	TypeClarificationRequested Type = "clarification.requested"
	TypeClarificationDefaulted Type = "clarification.defaulted"
	TypePolicyBudget           Type = "policy.budget"
	TypePolicyCheckpoint       Type = "policy.checkpoint"
	TypeCorrectionIssued       Type = "correction.issued"
	TypeNotificationSent       Type = "notification.sent"
	TypeNotificationHeld       Type = "notification.held"
	TypeHaltIgnored            Type = "halt.ignored"
	TypeControlChanged         Type = "control.changed"
	TypeBreakNoted             Type = "break.noted"
	TypeRunEvaluated           Type = "run.evaluated"
)
