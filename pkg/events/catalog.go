package events

import "slices"

// catalog is the table of events.md, "Types", in its order.
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
		class = ClassRunFact // and only infrastructure's there
	}
	return Descriptor{Type: t, New: data, Direction: DirectionInput, Role: role, SubjectClass: class, Stream: StreamInput, Doc: doc, RunEvent: true}
}

// notification is what the reporter saw of an effect: recorded as it comes back
// in, like the delivery of an interrupt.
func notification(t Type, data func() any, doc string) Descriptor {
	d := input(t, RoleReporter, data, doc)
	d.SubjectClass = ClassNotification
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
	input(TypeSessionOpened, RolePublisher, of[SessionOpened](), "A session starts: its task, constraints, conventions and codebase index."),
	input(TypeTurnRaw, RolePublisher, of[Turn](), "One response of an agent with the results of its tool calls."),
	input(TypeHookReceived, RolePublisher, of[HookReceived](), "One call of an agent's hook, a piece of a turn, as the agent sent it."),
	input(TypeSessionClosed, RolePublisher, of[SessionClosed](), "A session ends."),
	input(TypeInterruptDelivery, RolePublisher, of[InterruptDelivery](), "What became of an interrupt on its way to the agent."),
	input(TypeOperatorAct, RoleOperator, of[OperatorAct](), "A person's answer: acknowledge, dismiss, mute, resume, approve, recover."),
	notification(TypeNotificationSent, of[NotificationSent](), "A person was told, or could not be (PL-50)."),
	notification(TypeNotificationHeld, of[NotificationHeld](), "A notification waits for working hours (PL-51)."),
	input(TypeTimerExpired, RoleTimers, of[TimerExpired](), "A timer went off, as the broker recorded it."),
}

var runTypes = []Descriptor{
	runEvent(TypeRunStarted, RolePublisher, of[RunStarted](), "A run starts."),
	runEvent(TypeRunResumed, RoleOperator, of[RunResumed](), "An operator lets a halted or crashed run go on."),
	runEvent(TypeRunCompleted, RolePublisher, of[RunCompleted](), "A run ends."),
	runEvent(TypePhaseStarted, RolePublisher, of[PhaseStarted](), "A phase starts; asks for the gate next_phase."),
	runEvent(TypePhaseCompleted, RolePublisher, of[PhaseCompleted](), "A phase ends with its artifacts and notes."),
	runEvent(TypeAgentSpawned, RolePublisher, of[AgentSpawned](), "An agent is declared with its isolation mode; asks for the gate spawn."),
	runEvent(TypeAgentStarted, RolePublisher, of[AgentStarted](), "A wave agent runs."),
	runEvent(TypeAgentCompleted, RolePublisher, of[AgentCompleted](), "An agent ended and what came of it."),
	runEvent(TypeAgentDescoped, RoleOperator, of[AgentDescoped](), "An operator takes an agent out of its wave."),
	runEvent(TypeTaskCompleted, RolePublisher, of[TaskCompleted](), "A task ended."),
	runEvent(TypeCycleCompleted, RolePublisher, of[CycleCompleted](), "A cycle ended with its findings."),
	runEvent(TypeProposalPublished, RolePublisher, of[ProposalPublished](), "The plan that changes are measured against."),
	runEvent(TypeMergeCompleted, RolePublisher, of[MergeCompleted](), "Work was merged."),
	runEvent(TypeTestCompleted, RolePublisher, of[TestCompleted](), "Tests ran."),
	runEvent(TypeSpendReported, RolePublisher, of[SpendReported](), "What a run has spent so far."),
	runEvent(TypeMemoryInjected, RolePublisher, of[MemoryInjected](), "Lessons went into an agent's prompt."),
	runEvent(TypeReviewCompleted, RolePublisher, of[ReviewCompleted](), "A review ended."),
	runEvent(TypeScopeChecked, RolePublisher, of[ScopeChecked](), "A change was compared with its criteria."),
}

var waveTypes = []Descriptor{
	runEvent(TypeScoutCompleted, RolePublisher, of[ScoutCompleted](), "The scout's verdict on a task."),
	runEvent(TypePlanApproved, RoleOperator, of[PlanApproved](), "An operator approves the plan."),
	runEvent(TypeContractChanged, RolePublisher, of[ContractChanged](), "Interface contracts changed."),
	runEvent(TypeScaffoldStarted, RolePublisher, of[ScaffoldStarted](), "The scaffold agent began."),
	runEvent(TypeScaffoldCommitted, RolePublisher, of[ScaffoldCommitted](), "Scaffold files are committed."),
	runEvent(TypeScaffoldFailed, RolePublisher, of[ScaffoldFailed](), "The scaffold could not be made."),
	runEvent(TypeWavePlanned, RolePublisher, of[WavePlanned](), "The ownership table of a wave."),
	runEvent(TypeWaveStarted, RolePublisher, of[WaveStarted](), "A wave is launched; asks for the gate launch."),
	runEvent(TypeWaveMerged, RolePublisher, of[WaveMerged](), "A wave was merged."),
	runEvent(TypeWaveMergeRequested, RolePublisher, of[WaveMergeRequested](), "A merge is asked for: the trip wire."),
	runEvent(TypeGateRequested, RolePublisher, of[GateRequested](), "Asks for a gate before the act."),
	runEvent(TypeWorktreeCreated, RoleInfra, of[WorktreeCreated](), "A worktree exists; asks for the gate worktrees."),
	runEvent(TypeWorktreeRemoved, RoleInfra, of[WorktreeRemoved](), "A worktree is gone."),
	runEvent(TypeHookInstalled, RoleInfra, of[HookInstalled](), "The pre-commit hook guards the repository."),
	runEvent(TypeHookRemoved, RoleInfra, of[HookRemoved](), "The pre-commit hook is gone."),
	runEvent(TypeField0Checked, RolePublisher, of[Field0Checked](), "An agent checked that it works in its worktree."),
	runEvent(TypeGitCommit, RoleInfra, of[GitCommit](), "A commit as infrastructure saw it."),
	runEvent(TypeGitCounted, RoleInfra, of[GitCounted](), "What the branches of a wave hold, as infrastructure counted."),
	runEvent(TypeGitMerge, RoleInfra, of[GitMerge](), "A merge as infrastructure saw it."),
	runEvent(TypeRecoverySelected, RoleOperator, of[RecoverySelected](), "An operator answers the trip wire."),
}

var pipelineTypes = []Descriptor{
	runEvent(TypeContractRegistered, RolePublisher, of[ContractRegistered](), "A handoff contract is brought from outside."),
	runEvent(TypeContextAssembled, RolePublisher, of[ContextAssembled](), "The context an agent or phase was given."),
	runEvent(TypeContextPersistFailed, RolePublisher, of[ContextPersistFailed](), "A phase's context could not be kept."),
	runEvent(TypeTicketReceived, RolePublisher, of[TicketReceived](), "The task as a person wrote it."),
	runEvent(TypeIntentCheckpoint, RolePublisher, of[IntentCheckpoint](), "What an agent says it understood."),
	runEvent(TypeAssumptionsStated, RolePublisher, of[AssumptionsStated](), "Assumptions before the first edit."),
	runEvent(TypeCouncilCompleted, RolePublisher, of[CouncilCompleted](), "The result of a council."),
	runEvent(TypeClarificationAnswered, RoleOperator, of[ClarificationAnswered](), "An operator answers a clarification."),
	runEvent(TypeCalibrationRecorded, RolePublisher, of[CalibrationRecorded](), "An intent compared with what came of it."),
}

var signalTypes = []Descriptor{
	internalType(derived(TypeTurnSegmented, RoleIngest, StreamSegments, of[TurnSegmented](), "A turn cut into segments, redacted.")),
	derived(TypeSignalDetected, RoleEvaluator, StreamSignals, of[Signal](), "A detector or rule saw something."),
	derived(TypeTurnEvaluated, RoleEvaluator, StreamSignals, of[TurnEvaluated](), "A turn is closed: its signals, pause and pending outcomes."),
	internalType(decision(TypeTimerSet, of[TimerSet](), "Asks for a timer.expired event at a time.")),
}

var decisionTypes = []Descriptor{
	decision(TypeSignalLogged, of[Disposition](), "A signal too small to say."),
	decision(TypeSignalSuppressed, of[Disposition](), "A signal that a rule or person excused."),
	decision(TypeSignalSelfCorrected, of[Disposition](), "A signal the agent put right itself."),
	decision(TypeSignalExpired, of[Disposition](), "A queued signal that grew too old."),
	decision(TypeSignalCoalesced, of[Disposition](), "A signal that another one carries on."),
	decision(TypeSignalUnsent, of[Disposition](), "A signal still waiting when the session ended."),
	decision(TypeInterruptQueued, of[InterruptQueued](), "A signal waits for a natural pause."),
	decision(TypeInterruptFired, of[InterruptFired](), "What is said to the agent."),
	decision(TypeBudgetExhausted, of[BudgetExhausted](), "The interrupt budget is spent and signals wait."),
	decision(TypeEscalationRaised, of[EscalationRaised](), "A person must look."),
	decision(TypeWiggumBreak, of[WiggumBreak](), "A run or session must stop."),
	decision(TypeGateDecided, of[GateDecided](), "The answer of a gate."),
	decision(TypeViolationDetected, of[ViolationDetected](), "A rule of the protocol was broken."),
	decision(TypeWarningIssued, of[WarningIssued](), "Something is off that breaks no rule."),
	decision(TypeClarificationRequested, of[ClarificationRequested](), "A person is asked what was meant."),
	decision(TypeClarificationDefaulted, of[ClarificationDefaulted](), "Nobody answered in time; the default holds."),
	decision(TypePolicyBudget, of[PolicyBudget](), "A spending threshold was passed."),
	decision(TypePolicyCheckpoint, of[PolicyCheckpoint](), "A periodic stop to look."),
	decision(TypeCorrectionIssued, of[CorrectionIssued](), "A step of the escalation protocol."),
	decision(TypeHaltIgnored, of[HaltIgnored](), "A harness went on after a hard break."),
	decision(TypeControlChanged, of[ControlChanged](), "A run or session may, or may no longer, go on."),
	decision(TypeBreakNoted, of[BreakNoted](), "Another trigger while the run is halted already."),
	decision(TypeRunEvaluated, of[RunEvaluated](), "A run event is closed: all that it led to was said."),
}
