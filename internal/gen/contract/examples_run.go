package contract

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

var (
	orchestrator = events.Actor{Kind: events.ActorOrchestrator, ID: "archeflow"}
	operator     = events.Actor{Kind: events.ActorHuman, ID: "mara"}
	infra        = events.Actor{Kind: events.ActorInfra, ID: "git-hook"}
	scout        = events.Actor{Kind: events.ActorScout, ID: "scout-1"}
	waveAgent    = events.Actor{Kind: events.ActorWaveAgent, ID: "maker-1"}
	scaffolder   = events.Actor{Kind: events.ActorScaffold, ID: "scaffold-1"}
)

func runExamples() map[events.Type]any {
	return map[events.Type]any{
		events.TypeRunStarted: &events.RunStarted{
			Actor: orchestrator, Workspace: "checkout", Project: "shop", Kind: "build", Goal: "Retry failed payment calls.", Workflow: "standard",
			Budget: &events.Allowance{Limit: 20, Unit: "usd"},
			Trigger: &events.Trigger{
				ID: "ticket-4711", OnPartial: "proceed", RequireIntentConfirmation: "uncertain", SkipIntent: true, Priority: "critical",
				IgnoreWorkingHours: true, Notify: events.TextList{"team-chat"},
			},
		},
		events.TypeRunResumed: &events.RunResumed{
			Actor: operator, PriorRunID: "checkout-retry-0", RestoredPhases: []string{"plan"}, By: "mara", Why: "the flaky test is fixed",
		},
		events.TypeRunCompleted: &events.RunCompleted{
			Actor: orchestrator, Outcome: "success", PRURL: "https://git.example/shop/pull/88", Summary: "Payment calls retry up to three times.",
			Observations: []events.Observation{{Text: "the gateway has no sandbox", Disposition: "accepted"}},
		},
		events.TypePhaseStarted: &events.PhaseStarted{
			Actor: orchestrator, Phase: "do", Workflow: "wr.coding-task", Cycle: 1, Attempt: 1, ContractRef: "wr.coding_handoff",
		},
		events.TypePhaseCompleted: &events.PhaseCompleted{
			Actor: orchestrator, Phase: "do", Workflow: "wr.coding-task", Cycle: 1, Attempt: 1, ContractRef: "wr.coding_handoff",
			Artifacts: []events.Artifact{{
				Kind: "wr.coding_handoff", Version: 1,
				Document: []byte(`{"kind":"wr.coding_handoff","version":1,"branchName":"retry","keyDecisions":["use httpx.Retry"],"knownLimitations":[],"testsAdded":["TestChargeRetries"],"filesChanged":["internal/payment/charge.go"]}`),
			}},
			Notes: "Retry uses the existing helper; the limit is three calls.", ClaimedResult: "full", Slices: events.TextList{"2"},
			OpenQuestions: []events.OpenQuestion{{Question: "Are refunds retried too?", ChangesImplementation: true, Resolution: "no", Risk: "R-2"}},
			Observations:  []events.Observation{{Text: "charge.go has no tests for 5xx", Disposition: "filed"}},
		},
		events.TypeMergeCompleted: &events.MergeCompleted{Actor: orchestrator, SHA: "4be1d09"},
		events.TypeTestCompleted: &events.TestCompleted{
			Actor: orchestrator, Scope: "unscoped", Passed: true, Suite: "go test", AfterMerge: new(true), SHA: "4be1d09",
		},
		events.TypeSpendReported: &events.SpendReported{Actor: orchestrator, Spent: 10.5, Limit: 20, Unit: "usd"},
		events.TypeMemoryInjected: &events.MemoryInjected{
			Actor: orchestrator, Lessons: []events.Lesson{{ID: "l-12", Text: "Close response bodies.", Finding: "f-3"}}, AgentID: "maker-1",
		},
		events.TypeScopeChecked: &events.ScopeChecked{
			Actor:          orchestrator,
			Criteria:       []events.Criterion{{Criterion: "at most three calls", Source: "explicit", Status: "met", Evidence: "TestChargeRetries"}},
			CriteriaSource: "ticket", MissingCount: ptr(0), CreepCount: ptr(1), Flags: []string{"internal/payment/metrics.go"},
		},
	}
}

var exampleFinding = events.Finding{
	ID: "f-3", Severity: events.SeverityWarning, Category: "resources", File: "internal/payment/charge.go", Line: 57,
	Text: "The response body is not closed on retry.", Fix: "Close it before the next attempt.", Repro: "Run TestChargeRetries with goleak.",
	RequiresCompromised: true, InChangeset: ptr(true), State: "open",
}

func agentExamples() map[events.Type]any {
	return map[events.Type]any{
		events.TypeAgentSpawned: &events.AgentSpawned{
			Actor: orchestrator, AgentID: "challenger-1", Archetype: "skeptic", Role: "challenger", Mode: "blind",
			DeclaredInputs: []string{"ticket"}, RequiredKeys: []string{"ticket"}, ContextKeys: []string{"ticket"},
			Include: []string{"ticket"}, Exclude: []string{"prior_artifacts"}, ModelFamily: "gpt", MaxTurns: 12, MaxSubagentDepth: 1,
			Lessons: 3, PromptTokens: 5200, ContextWindow: 200000,
		},
		events.TypeAgentStarted: &events.AgentStarted{
			Actor: waveAgent, AgentID: "maker-1", Session: exampleSession, Wave: 1, Letter: "A",
			CWD: ".claude/worktrees/wave1-agent-A", Branch: "wave1-agent-A", Isolation: "worktree",
		},
		events.TypeAgentCompleted: &events.AgentCompleted{
			Actor: waveAgent, AgentID: "maker-1", Archetype: "maker", Session: exampleSession, Phase: "do", Cycle: 1, Task: "retry",
			Outcome: events.RunOutcomeSuccess, Status: "complete", Output: "Payment calls retry through httpx.Retry.", Findings: []events.Finding{exampleFinding},
			Verdict: "approved", FilesChanged: []string{"internal/payment/charge.go"}, FilesCreated: []string{"internal/payment/charge_test.go"},
			DiffLines: ptr(64), Commits: ptr(2), Commit: "91ac3f7", TestsRun: ptr(true), Addresses: []string{"f-3"}, DurationMS: 412000, Wave: 1, Letter: "A",
		},
		events.TypeAgentDescoped: &events.AgentDescoped{Actor: operator, Wave: 1, Letter: "B", By: "mara", Why: "its work moved to wave 2"},
		events.TypeTaskCompleted: &events.TaskCompleted{Actor: orchestrator, Task: "retry", Outcome: events.RunOutcomeSuccess, Quality: ptr(0.9)},
		events.TypeCycleCompleted: &events.CycleCompleted{
			Actor: orchestrator, Cycle: 1, Findings: []events.Finding{exampleFinding}, ConvergenceScore: ptr(0.75), Decision: "continue",
			Checked: events.TextList{"unit tests"}, Residual: events.TextList{"no test for timeouts"}, LimitReached: true,
		},
		events.TypeProposalPublished: &events.ProposalPublished{
			Actor: orchestrator, Files: []string{"internal/payment/charge.go"}, Abstractions: ptr(0), Packages: ptr(0), Words: ptr(310), TaskWords: ptr(240),
		},
		events.TypeReviewCompleted: &events.ReviewCompleted{
			Actor: orchestrator, Reviewer: "guardian-1", Cycle: 1, Verdict: "approved", Findings: []events.Finding{exampleFinding},
			Checklist: []events.ChecklistItem{{Item: "tests cover the retry limit", Result: "passed"}}, StartedAt: "2026-11-20T09:20:00Z", DurationMS: 95000,
		},
	}
}
