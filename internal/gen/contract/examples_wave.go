package contract

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func waveExamples() map[events.Type]any {
	worktree := runevents.WorktreeChanged{Actor: infra, Path: ".claude/worktrees/wave1-agent-A", Branch: "wave1-agent-A", Wave: 1, Letter: "A"}
	scaffold := runevents.ScaffoldChanged{Actor: scaffolder, Wave: 1, Files: []string{"internal/payment/policy.go"}, SHA: "0d7715e", CompileOK: ptr(true), Reason: "interfaces for both agents"}
	return map[events.Type]any{
		runevents.TypeScoutCompleted: &runevents.ScoutCompleted{
			Actor: scout, Verdict: "SUITABLE", Scaffolds: []runevents.Scaffold{{File: "internal/payment/policy.go", Status: "pending"}}, Waves: 2,
		},
		runevents.TypePlanApproved:      &runevents.PlanApproved{Actor: operator, By: "mara", Why: "interfaces are clear"},
		runevents.TypeContractChanged:   &runevents.ContractChanged{Actor: orchestrator, Files: []string{"internal/payment/policy.go"}},
		runevents.TypeScaffoldStarted:   ptr(runevents.ScaffoldStarted(scaffold)),
		runevents.TypeScaffoldCommitted: ptr(runevents.ScaffoldCommitted(scaffold)),
		runevents.TypeScaffoldFailed: &runevents.ScaffoldFailed{
			Actor: scaffolder, Wave: 1, Files: []string{"internal/payment/policy.go"}, SHA: "0d7715e", CompileOK: ptr(false), Reason: "undefined: Policy",
		},
		runevents.TypeWavePlanned: &runevents.WavePlanned{
			Actor: orchestrator, Wave: 1, Agents: []runevents.WaveAgent{{Letter: "A", Owns: []string{"internal/payment/charge.go"}}, {Letter: "B", Owns: []string{"internal/refund/refund.go"}}},
		},
		runevents.TypeWaveStarted: &runevents.WaveStarted{Actor: orchestrator, Wave: 1},
		runevents.TypeWaveMerged:  &runevents.WaveMerged{Actor: orchestrator, Wave: 1, Output: "Merge made by the 'ort' strategy."},
		runevents.TypeWaveMergeRequested: &runevents.WaveMergeRequested{
			Actor: orchestrator, Wave: 1, Base: "2c9e6a1", Agents: []runevents.WaveBranch{{Letter: "A", Branch: "wave1-agent-A", CommitCount: 2}, {Letter: "B", Branch: "wave1-agent-B", CommitCount: 0}},
			UncommittedOnMain: []string{"internal/refund/refund.go"},
		},
		runevents.TypeWorktreeCreated: ptr(runevents.WorktreeCreated(worktree)),
		runevents.TypeWorktreeRemoved: ptr(runevents.WorktreeRemoved(worktree)),
		runevents.TypeHookInstalled:   &runevents.HookInstalled{Actor: infra, Backup: true},
		runevents.TypeHookRemoved:     &runevents.HookRemoved{Actor: infra, Backup: true, Restored: true},
		runevents.TypeField0Checked:   &runevents.Field0Checked{Actor: waveAgent, Wave: 1, Letter: "A", OK: true},
		runevents.TypeGitCommit: &runevents.GitCommit{
			Actor: infra, SHA: "91ac3f7", Branch: "wave1-agent-A", Main: true, Author: "maker-1", Letter: "A", Files: []string{"internal/payment/charge.go"},
			Blocked: true, AllowMain: true, Purpose: "post_merge", Message: "payment: retry charges",
			Blobs: map[string]string{"internal/payment/charge.go": "8baef1b4abc478178b004d62031cf7fe6db6f903"},
		},
		runevents.TypeGitCounted: &runevents.GitCounted{
			Actor: infra, Base: "2c9e6a1", UncommittedOnMain: []string{"internal/refund/refund.go"},
			Branches: []runevents.BranchCount{{Branch: "wave1-agent-A", Letter: "A", Wave: 1, Commits: 2, Head: "91ac3f7", Base: "2c9e6a1", Files: []string{"internal/payment/charge.go"}}},
		},
		runevents.TypeGitMerge:         &runevents.GitMerge{Actor: infra, Branch: "wave1-agent-A", Into: "main", Output: "Merge made by the 'ort' strategy."},
		runevents.TypeRecoverySelected: &runevents.RecoverySelected{Actor: operator, Wave: 1, Option: 1, By: "mara", Why: "agent B lost its worktree"},
		runevents.TypeGateRequested: &runevents.GateRequested{
			Actor: orchestrator, Gate: runevents.GateMerge, Wave: 1, Base: "2c9e6a1", Agents: []runevents.WaveBranch{{Letter: "A", Branch: "wave1-agent-A", CommitCount: 2}},
			Phase: "do", Agent: &runevents.AgentSpawned{Actor: orchestrator, AgentID: "challenger-1", Role: "challenger", Mode: "blind"},
		},
	}
}

func pipelineExamples() map[events.Type]any {
	return map[events.Type]any{
		runevents.TypeContractRegistered: &runevents.ContractRegistered{
			Actor: orchestrator, Ref: "acme.release_handoff", Version: 1, Schema: json.RawMessage(`{"type":"object","required":["tag"]}`), Hash: "e3b0c44298fc1c14",
		},
		runevents.TypeContextAssembled: &runevents.ContextAssembled{
			Actor: orchestrator, Phase: "do", AgentID: "maker-1", Bytes: 6144,
			Sections:       []runevents.ContextSection{{Name: "design", Tier: ptr(1), Bytes: 4096, Tokens: 900, Source: "docs/design.md", Status: "included"}},
			Contradictions: []runevents.Contradiction{{What: "retries after a timeout", Between: []string{"acceptance_criteria", "chat"}, ResolvedTo: "acceptance_criteria"}},
		},
		runevents.TypeContextPersistFailed: &runevents.ContextPersistFailed{Actor: orchestrator, Phase: "do", Why: "disk full"},
		runevents.TypeTicketReceived: &runevents.TicketReceived{
			Actor: orchestrator, Title: "Retry payments", Text: "Payment calls must retry on timeouts.", AcceptanceCriteria: []string{"at most three calls"},
		},
		runevents.TypeIntentCheckpoint: &runevents.IntentCheckpoint{
			Actor: waveAgent, Session: exampleSession, Turn: 4, TaskType: "feature", Interpretation: "Retry on timeouts only.",
			RivalInterpretations: runevents.TextList{"Retry on every error."}, UnresolvedAssumptions: runevents.TextList{"Charges are idempotent."},
			AmbiguityLevel: "uncertain", ConfidenceBreakdown: map[string]any{"scope": 0.8}, InterpretationClusters: []int{3, 1}, QuestionSpecificity: ptr(0.6), PlanConsistency: "inconsistent",
		},
		runevents.TypeAssumptionsStated: &runevents.AssumptionsStated{
			Actor: waveAgent, Session: exampleSession,
			Assumptions: []runevents.Assumption{{Assumption: "Charges are idempotent.", Evidence: "charge.go:12", FalsificationQuery: "grep idempotency", Status: "confirmed"}},
		},
		runevents.TypeCouncilCompleted: &runevents.CouncilCompleted{
			Actor: orchestrator, RevisedAmbiguityLevel: "clear", FailureMode: "none", PrimaryInterpretationSurvived: true,
			WinningInterpretation: &runevents.Interpretation{Text: "Retry on timeouts only.", Basis: "ticket text"}, Dissents: runevents.TextList{"Retry on 5xx as well."},
			Members: []runevents.CouncilMember{{AgentID: "challenger-1", Role: "challenger", ModelFamily: "gpt", Mode: "blind", Turns: 11}}, DefenceTurns: 1,
		},
		runevents.TypeClarificationAnswered: &runevents.ClarificationAnswered{Actor: operator, RequestID: "q-1", Option: "A", Text: "Timeouts only.", By: "mara"},
		runevents.TypeCalibrationRecorded: &runevents.CalibrationRecorded{
			Actor: orchestrator, Outcome: "merged", Breakdown: map[string]any{"scope": 0.8}, Correction: "none", Verdict: "well calibrated", Subtype: "A",
			InterpretationFindings: runevents.TextList{"f-3"},
		},
	}
}
