package run

import (
	"time"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// GateDecided answers a gate; acting without an allow is itself a violation.
type GateDecided struct {
	Gate       Gate         `json:"gate" jsonschema:"enum=launch,enum=worktrees,enum=merge,enum=next_phase,enum=spawn"`
	Decision   GateDecision `json:"decision" jsonschema:"enum=allow,enum=allow_with_warning,enum=deny,enum=hold"`
	Rule       string       `json:"rule"` // e.g. WP-1
	Why        string       `json:"why"`  // one sentence; with allow_with_warning the text for the next agent
	WhoDecides DecidedBy    `json:"who_decides" jsonschema:"enum=scaffoldwatch,enum=operator"`
	Options    []Option     `json:"options,omitempty"`
	Wave       int          `json:"wave,omitempty"`
	Phase      string       `json:"phase,omitempty"`
	AgentID    string       `json:"agent_id,omitempty"`
	Asked      string       `json:"asked,omitempty"` // id of the event that asked
	Evidence   []Reference  `json:"evidence,omitempty"`
	Ahead      bool         `json:"ahead,omitempty"` // answers gate.requested, asked before the act
}

// Passes reports whether the gate allows the act, with or without a warning.
func (g *GateDecided) Passes() bool {
	return g.Decision == DecisionAllow || g.Decision == DecisionAllowWithWarning
}

// Reference is a piece of evidence of a run rule: an event, a file, or both.
type Reference struct {
	Event string `json:"event,omitempty"` // id
	Path  string `json:"path,omitempty"`
	Line  int    `json:"line,omitempty"`
	What  string `json:"what,omitempty"`
}

// Judgement is the data of violation.detected and warning.issued; each has its
// own Go type.
type Judgement struct {
	Code       string      `json:"code"`                 // e.g. SAW-COMMIT-MAIN
	Rule       string      `json:"rule"`                 // WP-4, I1, E5, …
	Invariants []string    `json:"invariants,omitempty"` // I and E numbers it concerns (WP-19)
	What       string      `json:"what"`
	Evidence   []Reference `json:"evidence"`
	Wave       int         `json:"wave,omitempty"`
	Letter     string      `json:"letter,omitempty"`
	Phase      string      `json:"phase,omitempty"`
	AgentID    string      `json:"agent_id,omitempty"`
	CaughtBy   CaughtBy    `json:"caught_by,omitempty" jsonschema:"enum=0,enum=1,enum=2,enum=3,enum=4,enum=observer"` // the layer of isolation, or the observer (WP-17)
}

// ViolationDetected reports that a rule of the protocol was broken.
type ViolationDetected Judgement

// WarningIssued reports an anomaly that breaks no rule.
type WarningIssued Judgement

// CodeRunInProgress is the code of a warning that is raised in the group of the
// workspace, about the run that is its subject (PL-10).
const CodeRunInProgress = "RUN-IN-PROGRESS"

// EscalationRaised goes to a person and stays open until acknowledged (RW-40, RW-41).
type EscalationRaised struct {
	Layer    sessionevents.Layer `json:"layer"`
	Issue    string              `json:"issue"` // shadow or boundary, e.g. maker/rogue
	To       RecipientKind       `json:"to" jsonschema:"enum=user,enum=operator,enum=orchestrator"`
	Text     string              `json:"text"`
	Options  []Option            `json:"options,omitempty"`
	Run      string              `json:"run,omitempty"`
	Session  string              `json:"session,omitempty"`
	Reminder bool                `json:"reminder,omitempty"` // raised again once (RW-41)
	Of       string              `json:"of,omitempty"`       // id of the escalation it reminds of
}

// Recipient is the addressee of a correction.
type Recipient struct {
	Kind    RecipientKind `json:"kind" jsonschema:"enum=agent,enum=orchestrator,enum=user"`
	ID      string        `json:"id,omitempty"`
	Session string        `json:"session,omitempty"` // of the agent, if known
}

// CorrectionIssued is a step of the escalation protocol (RW-40).
type CorrectionIssued struct {
	Layer  sessionevents.Layer `json:"layer"`
	Issue  string              `json:"issue"`
	Step   int                 `json:"step"` // 1–3
	Action CorrectionAction    `json:"action" jsonschema:"enum=correct,enum=replace,enum=pause,enum=stop"`
	Text   string              `json:"text"`
	Target Recipient           `json:"target"`
	Cause  string              `json:"cause,omitempty"`  // id of the signal that caused it
	Rule   string              `json:"rule,omitempty"`   // e.g. RW-3
	Reason string              `json:"reason,omitempty"` // the observation
}

// PolicyBudget reports that a spending threshold was crossed, once per run (RW-21).
type PolicyBudget struct {
	Threshold int          `json:"threshold" jsonschema:"enum=50,enum=80,enum=95,enum=100"` // percent
	Action    BudgetAction `json:"action" jsonschema:"enum=warn,enum=downgrade_models,enum=finish_then_stop,enum=stop"`
	Spent     float64      `json:"spent"`
	Limit     float64      `json:"limit"`
	Unit      string       `json:"unit,omitempty"`
}

// PolicyCheckpoint is a periodic stop to take stock (RW-20).
type PolicyCheckpoint struct {
	Steps    []string           `json:"steps"`
	Decision CheckpointDecision `json:"decision" jsonschema:"enum=continue,enum=stop"`
	Why      string             `json:"why,omitempty"`
}

// ClarificationRequested asks a person what was meant (PL-33, PL-36).
type ClarificationRequested struct {
	RequestID string    `json:"request_id"`
	Question  string    `json:"question,omitempty"`
	Options   []Option  `json:"options"`
	Default   string    `json:"default,omitempty"` // id of the option used at Until
	Until     time.Time `json:"until,omitzero"`
}

// ClarificationDefaulted reports that nobody answered in time (PL-36).
type ClarificationDefaulted struct {
	RequestID string    `json:"request_id"`
	Options   []Option  `json:"options,omitempty"`
	Default   string    `json:"default"` // id of the option used
	Until     time.Time `json:"until,omitzero"`
}

// Notification is the data of notification.sent and notification.held (PL-50,
// PL-51); each has its own Go type.
type Notification struct {
	About   string              `json:"about"` // id of the event it reports
	Layer   NotificationLayer   `json:"layer" jsonschema:"enum=operator,enum=team"`
	Channel string              `json:"channel"` // name in the configuration, never its address
	Outcome NotificationOutcome `json:"outcome,omitempty" jsonschema:"enum=delivered,enum=failed,enum=held"`
	URL     string              `json:"url,omitempty"` // e.g. of the pull request
	Text    string              `json:"text,omitempty"`
	Until   time.Time           `json:"until,omitzero"` // held: when the next working window begins
	Why     string              `json:"why,omitempty"`
}

// NotificationSent reports that a person was notified.
type NotificationSent Notification

// NotificationHeld reports that a notification waits for working hours.
type NotificationHeld Notification

// Gate is a point at which an orchestrator asks before it acts (WP-9, PL-2, PL-20).
type Gate string

// Gates.
const (
	GateLaunch    Gate = "launch"     // of a wave
	GateWorktrees Gate = "worktrees"  // of a wave's agents
	GateMerge     Gate = "merge"      // of a wave's branches
	GateNextPhase Gate = "next_phase" // of a pipeline
	GateSpawn     Gate = "spawn"      // of a subagent
)

// Gates returns all gates.
func Gates() []Gate {
	return []Gate{GateLaunch, GateWorktrees, GateMerge, GateNextPhase, GateSpawn}
}

// GateDecision is the answer of a gate.
type GateDecision string

// Decisions of a gate.
const (
	DecisionAllow            GateDecision = "allow"
	DecisionAllowWithWarning GateDecision = "allow_with_warning"
	DecisionDeny             GateDecision = "deny"
	DecisionHold             GateDecision = "hold" // denied until a person or a fact settles it
)

// DecidedBy is who may open a closed gate.
type DecidedBy string

// Who may open a gate.
const (
	DecidedByScaffoldwatch DecidedBy = "scaffoldwatch" // it opens by itself once the reason no longer applies
	DecidedByOperator      DecidedBy = "operator"
)

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
