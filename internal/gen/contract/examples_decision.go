package contract

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var exampleSignal = events.SignalID(exampleSession, 7, "A1", "retry", "2:17:58")

var exampleEvidence = []sessionevents.Evidence{{
	Segment: 2, Kind: sessionevents.SegmentDiff, Path: "internal/payment/retry.go", Line: 3, Offset: 17, Length: 58,
	Quote:         "func retry(n int, call func() error) error { return nil }",
	ConflictsWith: &sessionevents.EarlierEvent{Turn: 2, Session: "s-checkout-02", Path: "internal/httpx/client.go", Line: 41, What: "Client.Retry"},
	Flow: []sessionevents.FlowStep{
		{Role: sessionevents.FlowSource, Line: 3, Code: "n := attempts(r)"},
		{Role: sessionevents.FlowThrough, Line: 5, Code: "limit := n + 1"},
		{Role: sessionevents.FlowSink, Line: 9, Code: "return retry(limit, call)"},
	},
}}

func signalExamples() map[events.Type]any {
	return map[events.Type]any{
		sessionevents.TypeSignalDetected: &sessionevents.Signal{
			Session: exampleSession, Run: exampleRun, Turn: 7, ID: exampleSignal, Layer: sessionevents.LayerSession, Detector: "A1", Class: sessionevents.ClassA,
			Subclass: "duplicate_build", Subject: "retry", Confidence: 0.86, ReworkCost: 5, SelfCorrect: 0.5, Urgency: sessionevents.UrgencyOf(5, 0.5),
			Floor: ptr(sessionevents.Urgency(20)), Cap: ptr(sessionevents.Urgency(45)), Forced: true, Final: true, Escalate: true, Suppressed: "mute: mara until 2026-12-01", Streak: 3, CWE: 89,
			Basis:    []sessionevents.Ground{{Kind: sessionevents.GroundFact, What: "both places"}, {Kind: sessionevents.GroundReading, What: "claim of an act"}},
			Withheld: "reading", Confirms: "signal-of-turn-7",
			AgentID: "maker-1", Cycle: 2, Events: []string{"example-agent.completed"},
			Conditions: []sessionevents.Condition{{
				Name: "no_tests", What: "4 files changed, none of them a test", Value: 4, Limit: 3, Source: sessionevents.SourceFields, Immunity: "the task asks for documentation only",
			}},
			Evidence: exampleEvidence,
			Message:  "httpx.Client.Retry already retries calls (internal/httpx/client.go:41); use it instead of a second helper.",
			Reason:   "The new function retry repeats Client.Retry, read in turn 2.",
			Fix:      "call Client.Retry",
		},
		sessionevents.TypeTurnEvaluated: &sessionevents.TurnEvaluated{
			Session: exampleSession, Run: exampleRun, Turn: 7, Signals: []string{exampleSignal}, Pause: sessionevents.Pause{Natural: true, Why: sessionevents.PauseDiffThenPlan},
			Pending: []sessionevents.PendingOutcome{{ID: exampleSignal, Outcome: sessionevents.OutcomeCommitted, Why: "retry is called from charge.go"}},
			Failed:  "evaluation took longer than its budget",
			Observed: &sessionevents.Observations{
				Segments:  map[sessionevents.SegmentKind]int{sessionevents.SegmentPlan: 1, sessionevents.SegmentDiff: 1},
				RedFlags:  []sessionevents.RedFlagHit{{ID: "RF03", Turn: 7, Segment: 1, Offset: 0, Length: 12, Sentence: "I will write a retry helper.", Thinking: true}},
				FilesRead: 1, FilesEdited: []string{"internal/payment/retry.go"}, TestsEdited: 1, TestsAdded: 1, LinesAdded: 3, LinesGone: 1, Errors: 1,
				Evicted: map[string]int{"reads": 2}, Unsupported: []string{"language:zig"}, Continuity: &sessionevents.Continuity{Compacted: true},
				Usage: &sessionevents.Usage{InputTokens: 18230, OutputTokens: 641}, NoBaseline: true, Agent: &primary, Bytes: 1840, StopReason: "end_turn",
				Consulted: []string{".workrail/artifacts/discovery_handoff.json"}, Unguided: 1,
			},
			Ledger: exampleLedger(),
		},
	}
}

func exampleLedger() *sessionevents.LedgerChange {
	run := sessionevents.LedgerRun{
		Check: sessionevents.Check{
			Kind: sessionevents.CheckTest, Runner: "go test", Scope: []string{"./internal/payment/..."}, Filters: []string{"-run TestRetry"}, Result: sessionevents.CheckFailed,
			Passed: 4, Failed: 1, Skipped: 1, FailedNames: []string{"TestRetry"}, Cached: true, Hides: "| tail -5",
		},
		Turn: 7, Segment: 2, Command: "go test -run TestRetry ./internal/payment/... | tail -5",
	}
	return &sessionevents.LedgerChange{
		Claims: []sessionevents.Claim{{
			Kind: sessionevents.ClaimTests, Turn: 7, Segment: 3, Offset: 6, Length: 15, Text: "All tests pass.", Broad: true, Final: true, Verdict: sessionevents.Contradicted,
			Gap: "failed", Why: "TestRetry failed in turn 7, and nothing that covers it passed since.", By: &run, Show: "go test ./internal/payment/...",
		}},
		Checks: []sessionevents.LedgerRun{run}, Mutations: map[sessionevents.MutationKind]int{sessionevents.MutationCode: 2}, Paths: []string{"internal/payment/retry.go"},
		Promises: []sessionevents.Promise{{Source: sessionevents.PromiseTodo, Text: "Add a test for the retry", Turn: 2, Status: sessionevents.TodoPending}},
		Evicted:  1,
	}
}

func disposition(code sessionevents.DispositionCode, reason string) *sessionevents.Disposition {
	return &sessionevents.Disposition{
		Session: exampleSession, Signal: exampleSignal, Detector: "A1", Turn: 8, Reason: reason, Code: code, Urgency: 25,
	}
}

func decisionExamples() map[events.Type]any {
	coalesced := disposition(sessionevents.CodeSameCause, "the same cause: A1 on one subject")
	coalesced.Into = events.SignalID(exampleSession, 5, "A1", "retry", "0:0:5")
	return map[events.Type]any{
		sessionevents.TypeInputRefused: &sessionevents.InputRefused{
			Session: exampleSession, Run: exampleRun,
			Event: "example-turn.raw", EventType: sessionevents.TypeTurnRaw, EventSource: "/example", Code: "missing_field",
			Reason: "data.turn_id: is missing (see the JSON Schema of the type)",
		},
		sessionevents.TypeSignalLogged:        disposition(sessionevents.CodeBelowQueue, "urgency 1.8 is below 2.0"),
		sessionevents.TypeSignalSuppressed:    disposition(sessionevents.CodeMuted, "muted by mara, scope detector: the helper is wanted"),
		sessionevents.TypeSignalSelfCorrected: disposition(sessionevents.CodeCorrected, "the helper was removed in turn 8"),
		sessionevents.TypeSignalExpired:       disposition(sessionevents.CodeTooOld, "queued for more than 25 turns"),
		sessionevents.TypeSignalCoalesced:     coalesced,
		sessionevents.TypeSignalUnsent:        disposition(sessionevents.CodeSessionClosed, "session closed (completed) while it was queued: below_fire"),
		sessionevents.TypeInterruptQueued: &sessionevents.InterruptQueued{
			Session: exampleSession, Signal: exampleSignal, Detector: "A1", Turn: 8, Urgency: 25, Reason: sessionevents.ReasonBelowFire, Position: 1,
		},
		sessionevents.TypeInterruptFired: &sessionevents.InterruptFired{
			Session: exampleSession, Run: exampleRun, Turn: 8, ID: "i-7f3q", Layer: sessionevents.LayerSession, Detector: "A1", Class: sessionevents.ClassA,
			Signals: []string{exampleSignal}, Urgency: 40, UrgencyLabel: "4.0", Headline: "⚡ SCAFFOLD-WATCH INTERRUPT [CLASS-A | URGENCY: 4.0]",
			Message: "httpx.Client.Retry already retries calls (internal/httpx/client.go:41); use it instead of a second helper.",
			Reason:  "The new function retry repeats Client.Retry and is now used.", HoldUntil: sessionevents.HoldImmediate, FromQueue: true,
			Budget: sessionevents.BudgetChange{Before: 3, After: 2}, Evidence: exampleEvidence, ExpiresTurn: 33,
			Target: sessionevents.Target{Session: exampleSession, Instance: "maker-1-3f2c"},
		},
		sessionevents.TypeBudgetExhausted: &sessionevents.BudgetExhausted{Session: exampleSession, Turn: 21, Queued: 2, Note: "Budget exhausted — 2 signals queued"},
	}
}

func verdictExamples() map[events.Type]any {
	options := []runevents.Option{
		{ID: "1", Text: "Re-run wave (safest)", Evidence: "agent B has no commits", Effect: "discard and relaunch", Tradeoff: "costs the wave again"},
		{ID: "2", Text: "Investigate", Evidence: "files on main", Effect: "replay onto branches", Tradeoff: "takes a person's time"},
	}
	judgement := runevents.Judgement{
		Code: "SAW-COMMIT-MAIN", Rule: "WP-4", Invariants: []string{"E4", "I6"}, What: "wave agent A committed to main",
		Evidence: []runevents.Reference{{Event: "example-git.commit", Path: "internal/payment/charge.go", Line: 1, What: "commit 91ac3f7 on main"}},
		Wave:     1, Letter: "A", Phase: "do", AgentID: "maker-1", CaughtBy: runevents.CaughtByObserver,
	}
	notification := runevents.Notification{
		About: "example-run.completed", Layer: runevents.NotificationOperator, Channel: "team-chat", Outcome: runevents.NotificationDelivered, URL: "https://git.example/shop/pull/88",
		Text: "checkout-retry is done", Until: time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC), Why: "outside working hours",
	}
	return map[events.Type]any{
		runevents.TypeEscalationRaised: &runevents.EscalationRaised{
			Layer: sessionevents.LayerWave, Issue: "isolation_failure", To: runevents.RecipientUser, Text: "Agent B of wave 1 has no commits.", Options: options,
			Run: exampleRun, Session: exampleSession, Reminder: true, Of: "example-escalation",
		},
		runevents.TypeWiggumBreak: exampleBreak(options),
		runevents.TypeGateDecided: &runevents.GateDecided{
			Gate: runevents.GateMerge, Decision: runevents.DecisionDeny, Rule: "WP-1", Why: "agent B has no commits", WhoDecides: runevents.DecidedByScaffoldwatch, Options: options,
			Wave: 1, Phase: "do", AgentID: "maker-1", Asked: "example-wave.merge.requested", Ahead: true,
			Evidence: []runevents.Reference{{Event: "example-git.commit", Path: "internal/refund/refund.go", Line: 3, What: "changed on main"}},
		},
		runevents.TypeViolationDetected: ptr(runevents.ViolationDetected(judgement)),
		runevents.TypeWarningIssued:     ptr(runevents.WarningIssued(judgement)),
		runevents.TypeClarificationRequested: &runevents.ClarificationRequested{
			RequestID: "q-1", Question: "Retry on which errors?", Options: options, Default: "1", Until: time.Date(2026, 11, 20, 13, 30, 0, 0, time.UTC),
		},
		runevents.TypeClarificationDefaulted: &runevents.ClarificationDefaulted{RequestID: "q-1", Options: options, Default: "1", Until: time.Date(2026, 11, 20, 13, 30, 0, 0, time.UTC)},
		runevents.TypePolicyBudget:           &runevents.PolicyBudget{Threshold: 50, Action: runevents.BudgetWarn, Spent: 10.5, Limit: 20, Unit: "usd"},
		runevents.TypePolicyCheckpoint: &runevents.PolicyCheckpoint{
			Steps: []string{"commit and push all work", "handoff summary to control-center.md", "log spend", "compare quality"}, Decision: runevents.CheckpointContinue, Why: "quality holds",
		},
		runevents.TypeCorrectionIssued: &runevents.CorrectionIssued{
			Layer: sessionevents.LayerArchetype, Issue: "maker/rogue", Step: 1, Action: runevents.CorrectionCorrect,
			Text: "Read the proposal. Write a test. Commit. Revert out-of-scope files.", Target: runevents.Recipient{Kind: runevents.RecipientAgent, ID: "maker-1", Session: exampleSession}, Cause: exampleSignal,
			Rule: "RW-3", Reason: "1 file was changed outside the proposal: billing.go.",
		},
		runevents.TypeNotificationSent: ptr(runevents.NotificationSent(notification)),
		runevents.TypeNotificationHeld: ptr(runevents.NotificationHeld(notification)),
		runevents.TypeHaltIgnored: &runevents.HaltIgnored{
			Break: "example-wiggum.break", Run: exampleRun, Session: exampleSession, Turn: 23, Count: 1, Reason: "turn 23 came after the hard break",
		},
		runevents.TypeControlChanged: &runevents.ControlChanged{
			State: runevents.ControlHalted, Break: "example-wiggum.break", Who: "scaffoldwatch", Why: "agent B of wave 1 has no commits",
			Scope: runevents.ScopeRun, Run: exampleRun, Question: "example-clarification", Ended: true,
		},
		runevents.TypeBreakNoted: &runevents.BreakNoted{
			Break: "example-wiggum.break", Kind: runevents.BreakHard, Trigger: runevents.TriggerAgentFailures, Reason: "three agents failed in a row", Evidence: []string{"example-agent.completed"},
		},
		runevents.TypeRunEvaluated: &runevents.RunEvaluated{
			Event: "example-agent.completed", EventType: runevents.TypeAgentCompleted, Decisions: []string{"example-wiggum.break"},
			State: runevents.ControlHalted, Break: "example-wiggum.break", Failed: "evaluation took longer than its budget",
		},
		runevents.TypeRunJudged: exampleJudged(),
	}
}

func exampleBreak(options []runevents.Option) *runevents.WiggumBreak {
	return &runevents.WiggumBreak{
		Kind: runevents.BreakHard, Trigger: runevents.TriggerIsolationFailure, Reason: "agent B of wave 1 has no commits", Scope: runevents.ScopeRun,
		Run: exampleRun, Session: exampleSession, Turn: 22, Evidence: []string{"example-wave.merge.requested"},
		RunState: runevents.RunState{
			Phase: "do", Cycle: 1, Task: "retry", Agents: []string{"maker-1"}, Budget: &runevents.Spending{Spent: 10.5, Limit: 20, Unit: "usd"},
			LastEvents: []string{"example-wave.merge.requested"},
		},
		UnresolvedFindings: []runevents.Finding{exampleFinding}, WIPAction: runevents.WIPNone, RevertSHA: "4be1d09",
		Present: "best result so far: branch wave1-agent-A", Options: options, Upgrades: "example-soft-break",
	}
}

func exampleJudged() *runevents.RunJudged {
	return &runevents.RunJudged{
		Breaks: []runevents.BreakJudged{{
			Break:   "example-wiggum.break",
			Resumed: &runevents.Resume{Event: "example-run.resumed", Time: time.Date(2026, 11, 20, 13, 45, 0, 0, time.UTC), By: "mara", Why: "the wave runs again"},
			Recovery: &runevents.Recovery{
				Event: "example-recovery.selected", Option: 1, By: "mara", Why: "safest",
			},
			Reverted: "example-git.commit",
			Warrant: runevents.Warrant{
				Verdict: runevents.Warranted, Basis: runevents.BasisTakenBack, Why: "The merge that broke the suite was reverted.", Evidence: []string{"example-git.commit"},
			},
		}},
		Cycle:        &runevents.CycleJudged{Open: 2, Critical: 1, Compared: true, Resolved: 3, New: 1, Persistent: 1, Regressed: 1, Score: ptr(0.6)},
		Degradations: []runevents.Degradation{{Phase: "plan", Cycle: 1, Quality: runevents.HandoverPartial, Event: "example-phase.completed", Findings: 2, FixLoops: 1}},
		Leftovers:    []runevents.Leftover{{Cycle: 3, Event: "example-cycle.completed", Findings: []string{"F-1"}, Residual: []string{"slow path is untested"}}},
		Evaluations:  []runevents.Evaluation{{Agent: "guardian-1", Role: "evaluator", Mode: "blind", Verdict: "needs_changes", Event: "example-review.completed"}},
		ScopeChecks:  []runevents.ScopeResult{{Event: "example-scope.checked", Missing: 1, Unclear: 1, Creep: 2, Confidence: runevents.ConfidenceMedium}},
		Isolation: &runevents.IsolationJudged{
			Layers: []runevents.IsolationLayer{{Layer: 0, Name: "Pre-commit hook", Absent: 1, Failed: 1, Caught: 1}},
			Incidents: []runevents.IsolationIncident{{
				Number: 1, Wave: 1, Letter: "A", What: "commit to main", Event: "example-git.commit",
				Layers:   []runevents.LayerState{runevents.LayerAbsent, runevents.LayerFailed, runevents.LayerFailed, runevents.LayerPassed, runevents.LayerCaught},
				CaughtBy: []runevents.CaughtBy{runevents.CaughtByLayer4}, Observer: true,
			}},
			Tainted: []int{1},
		},
		Conformance: []runevents.Clause{{
			ID: "E4", Title: "five isolation layers", Conformity: runevents.ConformityBroken, Violations: 1, Warnings: 1, Events: []string{"example-git.commit"},
		}},
		RulesBroken: []runevents.Clause{{ID: "WP-4", Conformity: runevents.ConformityBroken, Violations: 1, Events: []string{"example-git.commit"}}},
		Calibration: &runevents.Calibration{
			Tally: runevents.CalibrationTally{TicketsA: 1, ContradictedB: 1, RecordedA: 1, RecordedB: 1, Unclassified: 1},
			Entries: []runevents.CalibrationEntry{{
				Event: "example-calibration.recorded", What: runevents.CalibrationResult, Level: "uncertain", Self: "clear", Breakdown: []byte(`{"level":"clear"}`),
				Option: "B", Text: "retry in the client", Outcome: "corrected", Verdict: "misread", Subtype: "A", Findings: []string{"F-1"},
			}},
			Misread: []string{"F-1"},
		},
	}
}
