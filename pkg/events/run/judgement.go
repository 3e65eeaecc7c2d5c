package run

// HandoverQuality is how much of its contract a phase handed over (PL-1).
type HandoverQuality string

// Qualities of a handover.
const (
	HandoverFull     HandoverQuality = "full"     // a valid artifact of the contract
	HandoverPartial  HandoverQuality = "partial"  // notes only
	HandoverFallback HandoverQuality = "fallback" // neither
)

// ScopeConfidence is how far a scope check can be relied on (PL-40).
type ScopeConfidence string

// Confidences of a scope check.
const (
	ConfidenceHigh   ScopeConfidence = "High"
	ConfidenceMedium ScopeConfidence = "Medium"
	ConfidenceLow    ScopeConfidence = "Low"
)

// CaughtBy is what caught a failure of isolation (WP-17): a layer, by its number,
// or our own live detection, which is not a layer.
type CaughtBy string

// What can catch a failure of isolation.
const (
	CaughtByLayer0   CaughtBy = "0" // the pre-commit hook
	CaughtByLayer1   CaughtBy = "1" // the worktrees of the orchestrator
	CaughtByLayer2   CaughtBy = "2" // the isolation parameter of the start
	CaughtByLayer3   CaughtBy = "3" // the agent's self-verification
	CaughtByLayer4   CaughtBy = "4" // the trip wire before the merge
	CaughtByObserver CaughtBy = "observer"
)

// CalibrationKind is what an entry of the calibration log is about (PL-39).
type CalibrationKind string

// Kinds of calibration entries.
const (
	CalibrationCheckpoint CalibrationKind = "checkpoint"
	CalibrationCouncil    CalibrationKind = "council"
	CalibrationCorrection CalibrationKind = "correction"
	CalibrationResult     CalibrationKind = "result"
)
