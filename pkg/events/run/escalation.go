package run

// RecipientKind is the addressee of a correction or an escalation.
type RecipientKind string

// Recipients.
const (
	RecipientAgent        RecipientKind = "agent"
	RecipientOrchestrator RecipientKind = "orchestrator"
	RecipientUser         RecipientKind = "user"     // the person whose task it is
	RecipientOperator     RecipientKind = "operator" // the person who runs the system
)

// CorrectionAction is the action that a step of the escalation protocol requests (RW-40).
type CorrectionAction string

// Actions of a correction.
const (
	CorrectionCorrect CorrectionAction = "correct" // correct the work
	CorrectionReplace CorrectionAction = "replace" // another agent takes over
	CorrectionPause   CorrectionAction = "pause"   // the run waits for a person
	CorrectionStop    CorrectionAction = "stop"    // with a clean state
)

// BudgetAction is the consequence of a spending threshold (RW-21).
type BudgetAction string

// Actions of a spending threshold.
const (
	BudgetWarn            BudgetAction = "warn"
	BudgetDowngradeModels BudgetAction = "downgrade_models"
	BudgetFinishThenStop  BudgetAction = "finish_then_stop"
	BudgetStop            BudgetAction = "stop"
)

// CheckpointDecision is the result of a policy checkpoint (RW-20).
type CheckpointDecision string

// Decisions of a checkpoint.
const (
	CheckpointContinue CheckpointDecision = "continue"
	CheckpointStop     CheckpointDecision = "stop"
)

// NotificationLayer is the audience of a notification (PL-50).
type NotificationLayer string

// Layers of notifications.
const (
	NotificationOperator NotificationLayer = "operator" // the person responsible for a run
	NotificationTeam     NotificationLayer = "team"     // the reviewers of its result
)

// NotificationOutcome is the outcome of a notification.
type NotificationOutcome string

// Outcomes of a notification.
const (
	NotificationDelivered NotificationOutcome = "delivered"
	NotificationFailed    NotificationOutcome = "failed"
	NotificationWaits     NotificationOutcome = "held" // until working hours
)
