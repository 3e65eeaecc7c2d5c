package events

import (
	"encoding/json"
	"slices"
	"time"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// catalog lists all types in the order of the documentation.
var catalog = slices.Concat(sessionTypes, runTypes, waveTypes, pipelineTypes, signalTypes, decisionTypes)

func of[T any]() func() any { return func() any { return new(T) } }

func input(t Type, role Role, data func() any, doc string) Descriptor {
	return Descriptor{Type: t, New: data, Direction: DirectionInput, Role: role, SubjectClass: string(t), Stream: StreamInput, Doc: doc}
}

func runEvent(t Type, role Role, data func() any, doc string) Descriptor {
	class := ClassRunRaw
	switch role {
	case RoleOperator:
		class = ClassOperatorAct // EV-10: only an operator's credential can write there
	case RoleInfra:
		class = ClassRunFact // only an infrastructure credential can write there
	}
	return Descriptor{Type: t, New: data, Direction: DirectionInput, Role: role, SubjectClass: class, Stream: StreamInput, Doc: doc, RunEvent: true}
}

// notification describes an event about a notification that the reporter sent: recorded
// as input, like the delivery of an interrupt.
func notification(t Type, data func() any, doc string) Descriptor {
	d := input(t, RoleReporter, data, doc)
	d.SubjectClass = ClassNotification
	return d
}

// purged describes purged, which only an operator may send, on the subjects of operators.
func purged() Descriptor {
	d := input(runevents.TypeContentPurged, RoleOperator, of[runevents.ContentPurged](), "An operator erased a session or run; the tombstone lists what (AU-40).")
	d.SubjectClass = ClassOperatorAct
	return d
}

func derived(t Type, role Role, stream Stream, data func() any, doc string) Descriptor {
	return Descriptor{Type: t, New: data, Direction: DirectionDerived, Role: role, SubjectClass: string(t), Stream: stream, Doc: doc}
}

func decision(t Type, data func() any, doc string) Descriptor {
	return derived(t, RoleDispatcher, StreamDecisions, data, doc)
}

func internalType(d Descriptor) Descriptor {
	d.Direction = DirectionInternal
	return d
}

var sessionTypes = []Descriptor{
	input(sessionevents.TypeSessionOpened, RolePublisher, of[sessionevents.SessionOpened](), "A session starts: its task, constraints, conventions and codebase index."),
	input(sessionevents.TypeTurnRaw, RolePublisher, of[sessionevents.Turn](), "One response of an agent with the results of its tool calls."),
	input(sessionevents.TypeHookReceived, RolePublisher, of[sessionevents.HookReceived](), "One call of an agent's hook, a piece of a turn, as the agent sent it."),
	input(sessionevents.TypeSessionClosed, RolePublisher, of[sessionevents.SessionClosed](), "A session ends."),
	input(sessionevents.TypeInterruptDelivery, RolePublisher, of[sessionevents.InterruptDelivery](), "What became of an interrupt on its way to the agent."),
	input(sessionevents.TypeGuardDecided, RoleIngest, of[sessionevents.GuardDecided](), "A tool that was about to run was denied, warned of, or allowed after a snapshot (GD-21)."),
	input(sessionevents.TypeOpinionRecorded, roleAdvisor, of[sessionevents.OpinionRecorded](), "A model's second opinion about a signal, or what it found in a part of the session (AD-1)."),
	input(sessionevents.TypeWorkspaceObserved, RoleIngest, of[sessionevents.WorkspaceObserved](), "States of files, Git and settings, as a look at the workspace showed them (JD-20)."),
	input(sessionevents.TypeCheckObserved, RoleIngest, of[sessionevents.CheckObserved](), "The receipt of a check of the project that a person asked for (JD-21)."),
	input(runevents.TypeOperatorAct, RoleOperator, of[runevents.OperatorAct](), "A person's answer: acknowledge, dismiss, mute, resume, approve, recover."),
	purged(),
	notification(runevents.TypeNotificationSent, of[runevents.NotificationSent](), "A person was told, or could not be (PL-50)."),
	notification(runevents.TypeNotificationHeld, of[runevents.NotificationHeld](), "A notification waits for working hours (PL-51)."),
	input(TypeTimerExpired, RoleTimers, of[TimerExpired](), "A timer expired, as recorded by the broker."),
}

var runTypes = []Descriptor{
	runEvent(runevents.TypeRunStarted, RolePublisher, of[runevents.RunStarted](), "A run starts."),
	runEvent(runevents.TypeRunResumed, RoleOperator, of[runevents.RunResumed](), "An operator lets a halted or crashed run go on."),
	runEvent(runevents.TypeRunCompleted, RolePublisher, of[runevents.RunCompleted](), "A run ends."),
	runEvent(runevents.TypePhaseStarted, RolePublisher, of[runevents.PhaseStarted](), "A phase starts; asks for the gate next_phase."),
	runEvent(runevents.TypePhaseCompleted, RolePublisher, of[runevents.PhaseCompleted](), "A phase ends with its artifacts and notes."),
	runEvent(runevents.TypeAgentSpawned, RolePublisher, of[runevents.AgentSpawned](), "An agent is declared with its isolation mode; asks for the gate spawn."),
	runEvent(runevents.TypeAgentStarted, RolePublisher, of[runevents.AgentStarted](), "A wave agent runs."),
	runEvent(runevents.TypeAgentCompleted, RolePublisher, of[runevents.AgentCompleted](), "An agent ended, with its outcome."),
	runEvent(runevents.TypeAgentDescoped, RoleOperator, of[runevents.AgentDescoped](), "An operator takes an agent out of its wave."),
	runEvent(runevents.TypeTaskCompleted, RolePublisher, of[runevents.TaskCompleted](), "A task ended."),
	runEvent(runevents.TypeCycleCompleted, RolePublisher, of[runevents.CycleCompleted](), "A cycle ended with its findings."),
	runEvent(runevents.TypeProposalPublished, RolePublisher, of[runevents.ProposalPublished](), "The plan that changes are measured against."),
	runEvent(runevents.TypeMergeCompleted, RolePublisher, of[runevents.MergeCompleted](), "Work was merged."),
	runEvent(runevents.TypeTestCompleted, RolePublisher, of[runevents.TestCompleted](), "Tests ran."),
	runEvent(runevents.TypeSpendReported, RolePublisher, of[runevents.SpendReported](), "What a run has spent so far."),
	runEvent(runevents.TypeMemoryInjected, RolePublisher, of[runevents.MemoryInjected](), "Lessons went into an agent's prompt."),
	runEvent(runevents.TypeShadowReported, RolePublisher, of[runevents.ShadowReported](),
		"The orchestrator detected a shadow."),
	runEvent(runevents.TypeReviewCompleted, RolePublisher, of[runevents.ReviewCompleted](), "A review ended."),
	runEvent(runevents.TypeScopeChecked, RolePublisher, of[runevents.ScopeChecked](), "A change was compared with its criteria."),
}

var waveTypes = []Descriptor{
	runEvent(runevents.TypeScoutCompleted, RolePublisher, of[runevents.ScoutCompleted](), "The scout's verdict on a task."),
	runEvent(runevents.TypePlanApproved, RoleOperator, of[runevents.PlanApproved](), "An operator approves the plan."),
	runEvent(runevents.TypeContractChanged, RolePublisher, of[runevents.ContractChanged](), "Interface contracts changed."),
	runEvent(runevents.TypeScaffoldStarted, RolePublisher, of[runevents.ScaffoldStarted](), "The scaffold agent began."),
	runEvent(runevents.TypeScaffoldCommitted, RolePublisher, of[runevents.ScaffoldCommitted](), "Scaffold files are committed."),
	runEvent(runevents.TypeScaffoldFailed, RolePublisher, of[runevents.ScaffoldFailed](), "The scaffold could not be made."),
	runEvent(runevents.TypeWavePlanned, RolePublisher, of[runevents.WavePlanned](), "The ownership table of a wave."),
	runEvent(runevents.TypeWaveStarted, RolePublisher, of[runevents.WaveStarted](), "A wave is launched; asks for the gate launch."),
	runEvent(runevents.TypeWaveMerged, RolePublisher, of[runevents.WaveMerged](), "A wave was merged."),
	runEvent(runevents.TypeWaveMergeRequested, RolePublisher, of[runevents.WaveMergeRequested](), "A merge is asked for: the trip wire."),
	runEvent(runevents.TypeGateRequested, RolePublisher, of[runevents.GateRequested](), "Asks for a gate before the act."),
	runEvent(runevents.TypeWorktreeCreated, RoleInfra, of[runevents.WorktreeCreated](), "A worktree exists; asks for the gate worktrees."),
	runEvent(runevents.TypeWorktreeRemoved, RoleInfra, of[runevents.WorktreeRemoved](), "A worktree is gone."),
	runEvent(runevents.TypeHookInstalled, RoleInfra, of[runevents.HookInstalled](), "The pre-commit hook guards the repository."),
	runEvent(runevents.TypeHookRemoved, RoleInfra, of[runevents.HookRemoved](), "The pre-commit hook is gone."),
	runEvent(runevents.TypeField0Checked, RolePublisher, of[runevents.Field0Checked](), "An agent checked that it works in its worktree."),
	runEvent(runevents.TypeGitCommit, RoleInfra, of[runevents.GitCommit](), "A commit as infrastructure saw it."),
	runEvent(runevents.TypeGitCounted, RoleInfra, of[runevents.GitCounted](), "What the branches of a wave hold, as infrastructure counted."),
	runEvent(runevents.TypeGitMerge, RoleInfra, of[runevents.GitMerge](), "A merge as infrastructure saw it."),
	runEvent(runevents.TypeRecoverySelected, RoleOperator, of[runevents.RecoverySelected](), "An operator answers the trip wire."),
}

var pipelineTypes = []Descriptor{
	runEvent(runevents.TypeContractRegistered, RolePublisher, of[runevents.ContractRegistered](), "A handoff contract is brought from outside."),
	runEvent(runevents.TypeContextAssembled, RolePublisher, of[runevents.ContextAssembled](), "The context an agent or phase was given."),
	runEvent(runevents.TypeContextPersistFailed, RolePublisher, of[runevents.ContextPersistFailed](), "A phase's context could not be kept."),
	runEvent(runevents.TypeTicketReceived, RolePublisher, of[runevents.TicketReceived](), "The task as a person wrote it."),
	runEvent(runevents.TypeIntentCheckpoint, RolePublisher, of[runevents.IntentCheckpoint](), "What an agent says it understood."),
	runEvent(runevents.TypeAssumptionsStated, RolePublisher, of[runevents.AssumptionsStated](), "Assumptions before the first edit."),
	runEvent(runevents.TypeCouncilCompleted, RolePublisher, of[runevents.CouncilCompleted](), "The result of a council."),
	runEvent(runevents.TypeClarificationAnswered, RoleOperator, of[runevents.ClarificationAnswered](), "An operator answers a clarification."),
	runEvent(runevents.TypeCalibrationRecorded, RolePublisher, of[runevents.CalibrationRecorded](), "An intent compared with its outcome."),
}

var signalTypes = []Descriptor{
	internalType(derived(sessionevents.TypeTurnSegmented, RoleIngest, StreamSegments, of[sessionevents.TurnSegmented](), "A turn cut into segments, redacted.")),
	derived(sessionevents.TypeInputRefused, RoleIngest, StreamSegments, of[sessionevents.InputRefused](), "An event was refused at the door; nothing watches what it says."),
	derived(sessionevents.TypeSignalDetected, RoleEvaluator, StreamSignals, of[sessionevents.Signal](), "A detector or rule saw something."),
	derived(sessionevents.TypeTurnEvaluated, RoleEvaluator, StreamSignals, of[sessionevents.TurnEvaluated](), "A turn is closed: its signals, pause and pending outcomes."),
	internalType(decision(TypeTimerSet, of[TimerSet](), "Asks for a timer.expired event at a time.")),
}

var decisionTypes = []Descriptor{
	decision(sessionevents.TypeSignalLogged, of[sessionevents.Disposition](), "A signal too small to say."),
	decision(sessionevents.TypeSignalSuppressed, of[sessionevents.Disposition](), "A signal that a rule or person excused."),
	decision(sessionevents.TypeSignalSelfCorrected, of[sessionevents.Disposition](), "A signal the agent put right itself."),
	decision(sessionevents.TypeSignalExpired, of[sessionevents.Disposition](), "A queued signal that grew too old."),
	decision(sessionevents.TypeSignalCoalesced, of[sessionevents.Disposition](), "A signal that another one carries on."),
	decision(sessionevents.TypeSignalUnsent, of[sessionevents.Disposition](), "A signal still waiting when the session ended."),
	decision(sessionevents.TypeInterruptQueued, of[sessionevents.InterruptQueued](), "A signal waits for a natural pause."),
	decision(sessionevents.TypeInterruptFired, of[sessionevents.InterruptFired](), "What is said to the agent."),
	decision(sessionevents.TypeBudgetExhausted, of[sessionevents.BudgetExhausted](), "The interrupt budget is spent and signals wait."),
	decision(runevents.TypeEscalationRaised, of[runevents.EscalationRaised](), "A person must look."),
	decision(runevents.TypeWiggumBreak, of[runevents.WiggumBreak](), "A run or session must stop."),
	decision(runevents.TypeGateDecided, of[runevents.GateDecided](), "The answer of a gate."),
	decision(runevents.TypeViolationDetected, of[runevents.ViolationDetected](), "A rule of the protocol was broken."),
	decision(runevents.TypeWarningIssued, of[runevents.WarningIssued](), "Something is off that breaks no rule."),
	decision(runevents.TypeClarificationRequested, of[runevents.ClarificationRequested](), "A person is asked what was meant."),
	decision(runevents.TypeClarificationDefaulted, of[runevents.ClarificationDefaulted](), "Nobody answered in time; the default holds."),
	decision(runevents.TypePolicyBudget, of[runevents.PolicyBudget](), "A spending threshold was passed."),
	decision(runevents.TypePolicyCheckpoint, of[runevents.PolicyCheckpoint](), "A periodic stop to look."),
	decision(runevents.TypeCorrectionIssued, of[runevents.CorrectionIssued](), "A step of the escalation protocol."),
	decision(runevents.TypeHaltIgnored, of[runevents.HaltIgnored](), "A harness went on after a hard break."),
	decision(runevents.TypeControlChanged, of[runevents.ControlChanged](), "A run or session may, or may no longer, go on."),
	decision(runevents.TypeBreakNoted, of[runevents.BreakNoted](), "Another trigger while the run is halted already."),
	decision(runevents.TypeRunEvaluated, of[runevents.RunEvaluated](), "A run event is closed: all that it led to was said."),
	decision(runevents.TypeRunJudged, of[runevents.RunJudged](), "What a report needs of what the rules concluded, where an event changed it."),
}

// Types of timers (EV-9).
const (
	TypeTimerSet     Type = "timer.set"
	TypeTimerExpired Type = "timer.expired"
)

// TimerSet requests a timer.expired event at a time (EV-9). The stage writes it to its
// own stream, and a keeper schedules it in TIMERS.
type TimerSet struct {
	Name    string    `json:"name"`              // e.g. "session.idle"
	Session string    `json:"session,omitempty"` // the session the timer is for
	Run     string    `json:"run,omitempty"`
	Due     time.Time `json:"due"`
	// Group is the group in which it expires, "" for the group that set it. A message
	// from one run to another passes through INPUT as a timer that is due immediately, so
	// it reaches both.
	Group   string          `json:"group,omitempty"`
	Details json.RawMessage `json:"details,omitempty"` // returned when it expires
}

// TimerExpired is an expired timer, recorded by the broker (EV-9).
type TimerExpired struct {
	Name    string          `json:"name"`
	Session string          `json:"session,omitempty"`
	Run     string          `json:"run,omitempty"`
	Due     time.Time       `json:"due"`
	Details json.RawMessage `json:"details,omitempty"` // of its timer.set
}

// News reports whether the timer only carries a message to another group: it is due when
// its cause happened, or earlier. Such a timer is delivered at once, whatever clock dated
// its cause, and does not replace another of the same name.
func (t TimerSet) News(cause Event) bool {
	return t.Group != "" && !t.Due.After(cause.Time)
}
