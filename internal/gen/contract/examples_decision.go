package contract

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

var exampleSignal = events.SignalID(exampleSession, 7, "A1", "retry", "2:17:58")

var exampleEvidence = []events.Evidence{{
	Segment: 2, Kind: events.SegmentDiff, Path: "internal/payment/retry.go", Line: 3, Offset: 17, Length: 58,
	Quote:         "func retry(n int, call func() error) error { return nil }",
	ConflictsWith: &events.EarlierEvent{Turn: 2, Session: "s-checkout-02", Path: "internal/httpx/client.go", Line: 41, What: "Client.Retry"},
}}

func signalExamples() map[events.Type]any {
	return map[events.Type]any{
		events.TypeSignalDetected: &events.Signal{
			Session: exampleSession, Run: exampleRun, Turn: 7, ID: exampleSignal, Layer: events.LayerSession, Detector: "A1", Class: events.ClassA,
			Subclass: "duplicate_build", Subject: "retry", Confidence: 0.86, ReworkCost: 5, SelfCorrect: 0.5, Urgency: events.UrgencyOf(5, 0.5),
			Floor: ptr(events.Urgency(20)), Cap: ptr(events.Urgency(45)), Forced: true, Escalate: true, Suppressed: "mute: mara until 2026-12-01", Streak: 3, CWE: 89,
			AgentID: "maker-1", Cycle: 2, Events: []string{"example-agent.completed"},
			Conditions: []events.Condition{{
				Name: "no_tests", What: "4 files changed, none of them a test", Value: 4, Limit: 3, Source: "fields", Immunity: "the task asks for documentation only",
			}},
			Evidence: exampleEvidence,
			Message:  "httpx.Client.Retry already retries calls (internal/httpx/client.go:41); use it instead of a second helper.",
			Reason:   "The new function retry repeats Client.Retry, read in turn 2.",
		},
		events.TypeTurnEvaluated: &events.TurnEvaluated{
			Session: exampleSession, Run: exampleRun, Turn: 7, Signals: []string{exampleSignal}, Pause: events.Pause{Natural: true, Why: "diff_then_plan"},
			Pending: []events.PendingOutcome{{ID: exampleSignal, Outcome: events.OutcomeCommitted, Why: "retry is called from charge.go"}},
			Failed:  "evaluation took longer than its budget",
			Observed: &events.Observations{
				Segments:  map[events.SegmentKind]int{events.SegmentPlan: 1, events.SegmentDiff: 1},
				RedFlags:  []events.RedFlagHit{{ID: "RF03", Turn: 7, Segment: 1, Offset: 0, Length: 12, Sentence: "I will write a retry helper.", Thinking: true}},
				FilesRead: 1, FilesEdited: []string{"internal/payment/retry.go"}, TestsEdited: 1, TestsAdded: 1, LinesAdded: 3, LinesGone: 1, Errors: 1,
				Evicted: map[string]int{"reads": 2}, Unsupported: []string{"language:zig"}, Continuity: &events.Continuity{Compacted: true},
				Usage: &events.Usage{InputTokens: 18230, OutputTokens: 641}, NoBaseline: true, Agent: &primary, Bytes: 1840, StopReason: "end_turn",
			},
		},
	}
}

func disposition(code, reason string) *events.Disposition {
	return &events.Disposition{
		Session: exampleSession, Signal: exampleSignal, Detector: "A1", Turn: 8, Reason: reason, Code: code, Urgency: 25,
	}
}

func decisionExamples() map[events.Type]any {
	coalesced := disposition("same_cause", "the same cause: A1 on one subject")
	coalesced.Into = events.SignalID(exampleSession, 5, "A1", "retry", "0:0:5")
	return map[events.Type]any{
		events.TypeSignalLogged:        disposition("below_queue", "urgency 1.8 is below 2.0"),
		events.TypeSignalSuppressed:    disposition("muted", "muted by mara, scope detector: the helper is wanted"),
		events.TypeSignalSelfCorrected: disposition("corrected", "the helper was removed in turn 8"),
		events.TypeSignalExpired:       disposition("too_old", "queued for more than 25 turns"),
		events.TypeSignalCoalesced:     coalesced,
		events.TypeSignalUnsent:        disposition("session_closed", "session closed (completed) while it was queued: below_fire"),
		events.TypeInterruptQueued: &events.InterruptQueued{
			Session: exampleSession, Signal: exampleSignal, Detector: "A1", Turn: 8, Urgency: 25, Reason: "below_fire", Position: 1,
		},
		events.TypeInterruptFired: &events.InterruptFired{
			Session: exampleSession, Run: exampleRun, Turn: 8, ID: "i-7f3q", Layer: events.LayerSession, Detector: "A1", Class: events.ClassA,
			Signals: []string{exampleSignal}, Urgency: 40, UrgencyLabel: "4.0", Headline: "⚡ SCAFFOLD-WATCH INTERRUPT [CLASS-A | URGENCY: 4.0]",
			Message: "httpx.Client.Retry already retries calls (internal/httpx/client.go:41); use it instead of a second helper.",
			Reason:  "The new function retry repeats Client.Retry and is now used.", HoldUntil: "immediate", FromQueue: true,
			Budget: events.BudgetChange{Before: 3, After: 2}, Evidence: exampleEvidence, ExpiresTurn: 33,
			Target: events.Target{Session: exampleSession, Instance: "maker-1-3f2c"},
		},
		events.TypeBudgetExhausted: &events.BudgetExhausted{Session: exampleSession, Turn: 21, Queued: 2, Note: "Budget exhausted — 2 signals queued"},
	}
}

func verdictExamples() map[events.Type]any {
	options := []events.Option{
		{ID: "1", Text: "Re-run wave (safest)", Evidence: "agent B has no commits", Effect: "discard and relaunch", Tradeoff: "costs the wave again"},
		{ID: "2", Text: "Investigate", Evidence: "files on main", Effect: "replay onto branches", Tradeoff: "takes a person's time"},
	}
	judgement := events.Judgement{
		Code: "SAW-COMMIT-MAIN", Rule: "WP-4", Invariants: []string{"E4", "I6"}, What: "wave agent A committed to main",
		Evidence: []events.Reference{{Event: "example-git.commit", Path: "internal/payment/charge.go", Line: 1, What: "commit 91ac3f7 on main"}},
		Wave:     1, Letter: "A", Phase: "do", AgentID: "maker-1", CaughtBy: "observer",
	}
	notification := events.Notification{
		About: "example-run.completed", Layer: "operator", Channel: "team-chat", Outcome: "delivered", URL: "https://git.example/shop/pull/88",
		Text: "checkout-retry is done", Until: "2026-11-23T08:00:00Z", Why: "outside working hours",
	}
	return map[events.Type]any{
		events.TypeEscalationRaised: &events.EscalationRaised{
			Layer: events.LayerWave, Issue: "isolation_failure", To: "user", Text: "Agent B of wave 1 has no commits.", Options: options,
			Run: exampleRun, Session: exampleSession, Reminder: true, Of: "example-escalation",
		},
		events.TypeWiggumBreak: exampleBreak(options),
		events.TypeGateDecided: &events.GateDecided{
			Gate: events.GateMerge, Decision: events.DecisionDeny, Rule: "WP-1", Why: "agent B has no commits", WhoDecides: "scaffoldwatch", Options: options,
			Wave: 1, Phase: "do", AgentID: "maker-1", Asked: "example-wave.merge.requested", Ahead: true,
			Evidence: []events.Reference{{Event: "example-git.commit", Path: "internal/refund/refund.go", Line: 3, What: "changed on main"}},
		},
		events.TypeViolationDetected: ptr(events.ViolationDetected(judgement)),
		events.TypeWarningIssued:     ptr(events.WarningIssued(judgement)),
		events.TypeClarificationRequested: &events.ClarificationRequested{
			RequestID: "q-1", Question: "Retry on which errors?", Options: options, Default: "1", Until: "2026-11-20T13:30:00Z",
		},
		events.TypeClarificationDefaulted: &events.ClarificationDefaulted{RequestID: "q-1", Options: options, Default: "1", Until: "2026-11-20T13:30:00Z"},
		events.TypePolicyBudget:           &events.PolicyBudget{Threshold: 50, Action: "warn", Spent: 10.5, Limit: 20, Unit: "usd"},
		events.TypePolicyCheckpoint: &events.PolicyCheckpoint{
			Steps: []string{"commit and push all work", "handoff summary to control-center.md", "log spend", "compare quality"}, Decision: "continue", Why: "quality holds",
		},
		events.TypeCorrectionIssued: &events.CorrectionIssued{
			Layer: events.LayerArchetype, Issue: "maker/rogue", Step: 1, Action: "correct",
			Text: "Read the proposal. Write a test. Commit. Revert out-of-scope files.", Target: events.Recipient{Kind: "agent", ID: "maker-1", Session: exampleSession}, Cause: exampleSignal,
			Rule: "RW-3", Reason: "1 file was changed outside the proposal: billing.go.",
		},
		events.TypeNotificationSent: ptr(events.NotificationSent(notification)),
		events.TypeNotificationHeld: ptr(events.NotificationHeld(notification)),
		events.TypeHaltIgnored: &events.HaltIgnored{
			Break: "example-wiggum.break", Run: exampleRun, Session: exampleSession, Turn: 23, Count: 1, Reason: "turn 23 came after the hard break",
		},
		events.TypeControlChanged: &events.ControlChanged{
			State: events.ControlHalted, Break: "example-wiggum.break", Who: "scaffoldwatch", Why: "agent B of wave 1 has no commits",
			Scope: events.ScopeRun, Run: exampleRun, Question: "example-clarification", Ended: true,
		},
		events.TypeBreakNoted: &events.BreakNoted{
			Break: "example-wiggum.break", Kind: events.BreakHard, Trigger: events.TriggerAgentFailures, Reason: "three agents failed in a row", Evidence: []string{"example-agent.completed"},
		},
		events.TypeRunEvaluated: &events.RunEvaluated{
			Event: "example-agent.completed", EventType: events.TypeAgentCompleted, Decisions: []string{"example-wiggum.break"},
			State: events.ControlHalted, Break: "example-wiggum.break", Failed: "evaluation took longer than its budget",
		},
	}
}

func exampleBreak(options []events.Option) *events.WiggumBreak {
	return &events.WiggumBreak{
		Kind: events.BreakHard, Trigger: events.TriggerIsolationFailure, Reason: "agent B of wave 1 has no commits", Scope: "run",
		Run: exampleRun, Session: exampleSession, Turn: 22, Evidence: []string{"example-wave.merge.requested"},
		RunState: events.RunState{
			Phase: "do", Cycle: 1, Task: "retry", Agents: []string{"maker-1"}, Budget: &events.Spending{Spent: 10.5, Limit: 20, Unit: "usd"},
			LastEvents: []string{"example-wave.merge.requested"},
		},
		UnresolvedFindings: []events.Finding{exampleFinding}, WIPAction: events.WIPNone, RevertSHA: "4be1d09",
		Present: "best result so far: branch wave1-agent-A", Options: options, Upgrades: "example-soft-break",
	}
}
