package run

// RecipientKind is who a correction or an escalation is addressed to.
type RecipientKind string

// Recipients.
const (
	RecipientAgent        RecipientKind = "agent"
	RecipientOrchestrator RecipientKind = "orchestrator"
	RecipientUser         RecipientKind = "user"     // the person whose task it is
	RecipientOperator     RecipientKind = "operator" // the person who runs the system
)

// CorrectionAction is what a step of the escalation protocol asks for (RW-40).
type CorrectionAction string

// Actions of a correction.
const (
	CorrectionCorrect CorrectionAction = "correct" // put it right
	CorrectionReplace CorrectionAction = "replace" // another agent takes over
	CorrectionPause   CorrectionAction = "pause"   // the run waits for a person
	CorrectionStop    CorrectionAction = "stop"    // with a clean state
)

// BudgetAction is what a spending threshold leads to (RW-21).
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
	NotificationOperator NotificationLayer = "operator" // who answers for a run
	NotificationTeam     NotificationLayer = "team"     // who reviews what it made
)

// NotificationOutcome is what became of a notification.
type NotificationOutcome string

// Outcomes of a notification.
const (
	NotificationDelivered NotificationOutcome = "delivered"
	NotificationFailed    NotificationOutcome = "failed"
	NotificationWaits     NotificationOutcome = "held" // for working hours
)
