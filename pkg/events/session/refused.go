package session

// InputRefused reports an event of INPUT that was refused on arrival, so that its content
// is not watched (DP-33). Its subject is the session or run that the refused event is
// about. Its texts are redacted (SW-7).
type InputRefused struct {
	Session     string `json:"session,omitempty"` // empty if it was about the run
	Run         string `json:"run,omitempty"`
	Event       string `json:"event,omitempty"` // id of the refused event; empty if it has none
	EventType   string `json:"event_type"`      // as the publisher wrote it
	EventSource string `json:"event_source,omitempty"`
	Code        string `json:"code"`   // e.g. missing_field; package invalid lists them
	Reason      string `json:"reason"` // the field, the problem and the cure
}

// RunEvent reports whether the refused event was about a run.
func (d *InputRefused) RunEvent() bool { return d.Session == "" }

// Turn reports whether the refused event held a turn or part of one, so that a turn of
// the session is not watched.
func (d *InputRefused) Turn() bool {
	return d.EventType == TypeTurnRaw || d.EventType == TypeHookReceived
}

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
