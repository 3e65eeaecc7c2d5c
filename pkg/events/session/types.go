package session

// Event types about sessions.
const (
	TypeSessionOpened       = "session.opened"
	TypeTurnRaw             = "turn.raw"
	TypeHookReceived        = "hook.received"
	TypeSessionClosed       = "session.closed"
	TypeInterruptDelivery   = "interrupt.delivery"
	TypeGuardDecided        = "guard.decided"
	TypeOpinionRecorded     = "opinion.recorded"
	TypeWorkspaceObserved   = "workspace.observed"
	TypeCheckObserved       = "check.observed"
	TypeInputRefused        = "input.refused"
	TypeTurnSegmented       = "turn.segmented"
	TypeSignalDetected      = "signal.detected"
	TypeTurnEvaluated       = "turn.evaluated"
	TypeSignalLogged        = "signal.logged"
	TypeSignalSuppressed    = "signal.suppressed"
	TypeSignalSelfCorrected = "signal.self_corrected"
	TypeSignalExpired       = "signal.expired"
	TypeSignalCoalesced     = "signal.coalesced"
	TypeSignalUnsent        = "signal.unsent"
	TypeInterruptQueued     = "interrupt.queued"
	TypeInterruptFired      = "interrupt.fired"
	TypeBudgetExhausted     = "budget.exhausted"
)
