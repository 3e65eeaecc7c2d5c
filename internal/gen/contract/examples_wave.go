package contract

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

func waveExamples() map[events.Type]any {
	worktree := events.WorktreeChanged{Actor: infra, Path: ".claude/worktrees/wave1-agent-A", Branch: "wave1-agent-A", Wave: 1, Letter: "A"}
	scaffold := events.ScaffoldChanged{Actor: scaffolder, Wave: 1, Files: []string{"internal/payment/policy.go"}, SHA: "0d7715e", CompileOK: ptr(true), Reason: "interfaces for both agents"}
	return map[events.Type]any{
		events.TypeScoutCompleted: &events.ScoutCompleted{
			Actor: scout, Verdict: "SUITABLE", Scaffolds: []events.Scaffold{{File: "internal/payment/policy.go", Status: "pending"}}, Waves: 2,
		},
		events.TypePlanApproved:      &events.PlanApproved{Actor: operator, By: "mara", Why: "interfaces are clear"},
		events.TypeContractChanged:   &events.ContractChanged{Actor: orchestrator, Files: []string{"internal/payment/policy.go"}},
		events.TypeScaffoldStarted:   ptr(events.ScaffoldStarted(scaffold)),
		events.TypeScaffoldCommitted: ptr(events.ScaffoldCommitted(scaffold)),
		events.TypeScaffoldFailed: &events.ScaffoldFailed{
			Actor: scaffolder, Wave: 1, Files: []string{"internal/payment/policy.go"}, SHA: "0d7715e", CompileOK: ptr(false), Reason: "undefined: Policy",
		},
		events.TypeWavePlanned: &events.WavePlanned{
			Actor: orchestrator, Wave: 1, Agents: []events.WaveAgent{{Letter: "A", Owns: []string{"internal/payment/charge.go"}}, {Letter: "B", Owns: []string{"internal/refund/refund.go"}}},
		},
		events.TypeWaveStarted: &events.WaveStarted{Actor: orchestrator, Wave: 1},
		events.TypeWaveMerged:  &events.WaveMerged{Actor: orchestrator, Wave: 1, Output: "Merge made by the 'ort' strategy."},
		events.TypeWaveMergeRequested: &events.WaveMergeRequested{
			Actor: orchestrator, Wave: 1, Base: "2c9e6a1", Agents: []events.WaveBranch{{Letter: "A", Branch: "wave1-agent-A", CommitCount: 2}, {Letter: "B", Branch: "wave1-agent-B", CommitCount: 0}},
			UncommittedOnMain: []string{"internal/refund/refund.go"},
		},
		events.TypeWorktreeCreated: ptr(events.WorktreeCreated(worktree)),
		events.TypeWorktreeRemoved: ptr(events.WorktreeRemoved(worktree)),
		events.TypeHookInstalled:   &events.HookInstalled{Actor: infra, Backup: true},
		events.TypeHookRemoved:     &events.HookRemoved{Actor: infra, Backup: true, Restored: true},
		events.TypeField0Checked:   &events.Field0Checked{Actor: waveAgent, Wave: 1, Letter: "A", OK: true},
		events.TypeGitCommit: &events.GitCommit{
			Actor: infra, SHA: "91ac3f7", Branch: "wave1-agent-A", Main: true, Author: "maker-1", Letter: "A", Files: []string{"internal/payment/charge.go"},
			Blocked: true, AllowMain: true, Purpose: "post_merge", Message: "payment: retry charges",
			Blobs: map[string]string{"internal/payment/charge.go": "8baef1b4abc478178b004d62031cf7fe6db6f903"},
		},
		events.TypeGitCounted: &events.GitCounted{
			Actor: infra, Base: "2c9e6a1", UncommittedOnMain: []string{"internal/refund/refund.go"},
			Branches: []events.BranchCount{{Branch: "wave1-agent-A", Letter: "A", Wave: 1, Commits: 2, Head: "91ac3f7", Base: "2c9e6a1", Files: []string{"internal/payment/charge.go"}}},
		},
		events.TypeGitMerge:         &events.GitMerge{Actor: infra, Branch: "wave1-agent-A", Into: "main", Output: "Merge made by the 'ort' strategy."},
		events.TypeRecoverySelected: &events.RecoverySelected{Actor: operator, Wave: 1, Option: 1, By: "mara", Why: "agent B lost its worktree"},
		events.TypeGateRequested: &events.GateRequested{
			Actor: orchestrator, Gate: events.GateMerge, Wave: 1, Base: "2c9e6a1", Agents: []events.WaveBranch{{Letter: "A", Branch: "wave1-agent-A", CommitCount: 2}},
			Phase: "do", Agent: &events.AgentSpawned{Actor: orchestrator, AgentID: "challenger-1", Role: "challenger", Mode: "blind"},
		},
	}
}

func pipelineExamples() map[events.Type]any {
	return map[events.Type]any{
		events.TypeContractRegistered: &events.ContractRegistered{
			Actor: orchestrator, Ref: "acme.release_handoff", Version: 1, Schema: json.RawMessage(`{"type":"object","required":["tag"]}`), Hash: "e3b0c44298fc1c14",
		},
		events.TypeContextAssembled: &events.ContextAssembled{
			Actor: orchestrator, Phase: "do", AgentID: "maker-1", Bytes: 6144,
			Sections:       []events.ContextSection{{Name: "design", Tier: ptr(1), Bytes: 4096, Tokens: 900, Source: "docs/design.md", Status: "included"}},
			Contradictions: []events.Contradiction{{What: "retries after a timeout", Between: []string{"acceptance_criteria", "chat"}, ResolvedTo: "acceptance_criteria"}},
		},
		events.TypeContextPersistFailed: &events.ContextPersistFailed{Actor: orchestrator, Phase: "do", Why: "disk full"},
		events.TypeTicketReceived: &events.TicketReceived{
			Actor: orchestrator, Title: "Retry payments", Text: "Payment calls must retry on timeouts.", AcceptanceCriteria: []string{"at most three calls"},
		},
		events.TypeIntentCheckpoint: &events.IntentCheckpoint{
			Actor: waveAgent, Session: exampleSession, Turn: 4, TaskType: "feature", Interpretation: "Retry on timeouts only.",
			RivalInterpretations: events.TextList{"Retry on every error."}, UnresolvedAssumptions: events.TextList{"Charges are idempotent."},
			AmbiguityLevel: "uncertain", ConfidenceBreakdown: map[string]any{"scope": 0.8}, InterpretationClusters: []int{3, 1}, QuestionSpecificity: ptr(0.6),
		},
		events.TypeAssumptionsStated: &events.AssumptionsStated{
			Actor: waveAgent, Session: exampleSession,
			Assumptions: []events.Assumption{{Assumption: "Charges are idempotent.", Evidence: "charge.go:12", FalsificationQuery: "grep idempotency", Status: "confirmed"}},
		},
		events.TypeCouncilCompleted: &events.CouncilCompleted{
			Actor: orchestrator, RevisedAmbiguityLevel: "clear", FailureMode: "none", PrimaryInterpretationSurvived: true,
			WinningInterpretation: &events.Interpretation{Text: "Retry on timeouts only.", Basis: "ticket text"}, Dissents: events.TextList{"Retry on 5xx as well."},
			Members: []events.CouncilMember{{AgentID: "challenger-1", Role: "challenger", ModelFamily: "gpt", Mode: "blind", Turns: 11}}, DefenceTurns: 1,
		},
		events.TypeClarificationAnswered: &events.ClarificationAnswered{Actor: operator, RequestID: "q-1", Option: "A", Text: "Timeouts only.", By: "mara"},
		events.TypeCalibrationRecorded: &events.CalibrationRecorded{
			Actor: orchestrator, Outcome: "merged", Breakdown: map[string]any{"scope": 0.8}, Correction: "none", Verdict: "well calibrated", Subtype: "A",
			InterpretationFindings: events.TextList{"f-3"},
		},
	}
}
