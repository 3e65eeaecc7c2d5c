package contract

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

var (
	orchestrator = runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "archeflow"}
	operator     = runevents.Actor{Kind: runevents.ActorHuman, ID: "mara"}
	infra        = runevents.Actor{Kind: runevents.ActorInfra, ID: "git-hook"}
	scout        = runevents.Actor{Kind: runevents.ActorScout, ID: "scout-1"}
	waveAgent    = runevents.Actor{Kind: runevents.ActorWaveAgent, ID: "maker-1"}
	scaffolder   = runevents.Actor{Kind: runevents.ActorScaffold, ID: "scaffold-1"}
)

func runExamples() map[events.Type]any {
	return map[events.Type]any{
		runevents.TypeRunStarted: &runevents.RunStarted{
			Actor: orchestrator, Workspace: "checkout", Project: "shop", Kind: "build", Goal: "Retry failed payment calls.", Workflow: "standard",
			Budget: &runevents.Allowance{Limit: 20, Unit: "usd"},
			Trigger: &runevents.Trigger{
				ID: "ticket-4711", OnPartial: "proceed", RequireIntentConfirmation: "uncertain", SkipIntent: true, Priority: "critical",
				IgnoreWorkingHours: true, Notify: runevents.TextList{"team-chat"},
			},
		},
		runevents.TypeRunResumed: &runevents.RunResumed{
			Actor: operator, PriorRunID: "checkout-retry-0", RestoredPhases: []string{"plan"}, By: "mara", Why: "the flaky test is fixed",
		},
		runevents.TypeRunCompleted: &runevents.RunCompleted{
			Actor: orchestrator, Outcome: "success", PRURL: "https://git.example/shop/pull/88", Summary: "Payment calls retry up to three times.",
			Observations: []runevents.Observation{{Text: "the gateway has no sandbox", Disposition: "accepted"}},
		},
		runevents.TypePhaseStarted: &runevents.PhaseStarted{
			Actor: orchestrator, Phase: "do", Workflow: "wr.coding-task", Cycle: 1, Attempt: 1, ContractRef: "wr.coding_handoff",
		},
		runevents.TypePhaseCompleted: &runevents.PhaseCompleted{
			Actor: orchestrator, Phase: "do", Workflow: "wr.coding-task", Cycle: 1, Attempt: 1, ContractRef: "wr.coding_handoff",
			Artifacts: []runevents.Artifact{{
				Kind: "wr.coding_handoff", Version: 1,
				Document: []byte(`{"kind":"wr.coding_handoff","version":1,"branchName":"retry","keyDecisions":["use httpx.Retry"],"knownLimitations":[],"testsAdded":["TestChargeRetries"],"filesChanged":["internal/payment/charge.go"]}`),
			}},
			Notes: "Retry uses the existing helper; the limit is three calls.", ClaimedResult: "full", Slices: runevents.TextList{"2"},
			OpenQuestions: []runevents.OpenQuestion{{Question: "Are refunds retried too?", ChangesImplementation: true, Resolution: "no", Risk: "R-2"}},
			Observations:  []runevents.Observation{{Text: "charge.go has no tests for 5xx", Disposition: "filed"}},
		},
		runevents.TypeMergeCompleted: &runevents.MergeCompleted{Actor: orchestrator, SHA: "4be1d09"},
		runevents.TypeTestCompleted: &runevents.TestCompleted{
			Actor: orchestrator, Scope: "unscoped", Passed: true, Suite: "go test", AfterMerge: new(true), SHA: "4be1d09",
		},
		runevents.TypeSpendReported: &runevents.SpendReported{Actor: orchestrator, Spent: 10.5, Limit: 20, Unit: "usd"},
		runevents.TypeMemoryInjected: &runevents.MemoryInjected{
			Actor: orchestrator, Lessons: []runevents.Lesson{{ID: "l-12", Text: "Close response bodies.", Finding: "f-3"}}, AgentID: "maker-1",
		},
		runevents.TypeShadowReported: &runevents.ShadowReported{
			Actor: orchestrator, AgentID: "guardian-1", Archetype: "guardian", Shadow: "paranoid", Cycle: 2,
			Trigger: "3 CRITICAL, 0 WARNING",
		},
		runevents.TypeScopeChecked: &runevents.ScopeChecked{
			Actor:          orchestrator,
			Criteria:       []runevents.Criterion{{Criterion: "at most three calls", Source: "explicit", Status: "met", Evidence: "TestChargeRetries"}},
			CriteriaSource: "ticket", MissingCount: ptr(0), CreepCount: ptr(1), Flags: []string{"internal/payment/metrics.go"},
		},
	}
}

var exampleFinding = runevents.Finding{
	ID: "f-3", Severity: runevents.SeverityWarning, Category: "resources", File: "internal/payment/charge.go", Line: 57,
	Text: "The response body is not closed on retry.", Fix: "Close it before the next attempt.", Repro: "Run TestChargeRetries with goleak.",
	RequiresCompromised: true, InChangeset: ptr(true), State: "open",
}

func agentExamples() map[events.Type]any {
	return map[events.Type]any{
		runevents.TypeAgentSpawned: &runevents.AgentSpawned{
			Actor: orchestrator, AgentID: "challenger-1", Archetype: "skeptic", Role: "challenger", Mode: "blind",
			DeclaredInputs: []string{"ticket"}, RequiredKeys: []string{"ticket"}, ContextKeys: []string{"ticket"},
			Include: []string{"ticket"}, Exclude: []string{"prior_artifacts"}, ModelFamily: "gpt", MaxTurns: 12, MaxSubagentDepth: 1,
			Lessons: 3, PromptTokens: 5200, ContextWindow: 200000,
		},
		runevents.TypeAgentStarted: &runevents.AgentStarted{
			Actor: waveAgent, AgentID: "maker-1", Session: exampleSession, Wave: 1, Letter: "A",
			CWD: ".claude/worktrees/wave1-agent-A", Branch: "wave1-agent-A", Isolation: "worktree",
		},
		runevents.TypeAgentCompleted: &runevents.AgentCompleted{
			Actor: waveAgent, AgentID: "maker-1", Archetype: "maker", Session: exampleSession, Phase: "do", Cycle: 1, Task: "retry",
			Outcome: runevents.RunOutcomeSuccess, Status: "complete", Output: "Payment calls retry through httpx.Retry.", Findings: []runevents.Finding{exampleFinding},
			Verdict: "approved", FilesChanged: []string{"internal/payment/charge.go"}, FilesCreated: []string{"internal/payment/charge_test.go"},
			DiffLines: ptr(64), Commits: ptr(2), Commit: "91ac3f7", TestsRun: ptr(true), Addresses: []string{"f-3"}, DurationMS: 412000, Wave: 1, Letter: "A",
		},
		runevents.TypeAgentDescoped: &runevents.AgentDescoped{Actor: operator, Wave: 1, Letter: "B", By: "mara", Why: "its work moved to wave 2"},
		runevents.TypeTaskCompleted: &runevents.TaskCompleted{Actor: orchestrator, Task: "retry", Outcome: runevents.RunOutcomeSuccess, Quality: ptr(0.9)},
		runevents.TypeCycleCompleted: &runevents.CycleCompleted{
			Actor: orchestrator, Cycle: 1, Findings: []runevents.Finding{exampleFinding}, ConvergenceScore: ptr(0.75), Decision: "continue",
			Checked: runevents.TextList{"unit tests"}, Residual: runevents.TextList{"no test for timeouts"}, LimitReached: true,
		},
		runevents.TypeProposalPublished: &runevents.ProposalPublished{
			Actor: orchestrator, Files: []string{"internal/payment/charge.go"}, Abstractions: ptr(0), Packages: ptr(0), Words: ptr(310), TaskWords: ptr(240),
		},
		runevents.TypeReviewCompleted: &runevents.ReviewCompleted{
			Actor: orchestrator, Reviewer: "guardian-1", Cycle: 1, Verdict: "approved", Findings: []runevents.Finding{exampleFinding},
			Checklist: []runevents.ChecklistItem{{Item: "tests cover the retry limit", Result: "passed"}}, StartedAt: "2026-11-20T09:20:00Z", DurationMS: 95000,
		},
	}
}
