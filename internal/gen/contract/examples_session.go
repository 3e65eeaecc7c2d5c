package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

var primary = sessionevents.Agent{ID: "maker-1", Kind: "claude-code", Model: "claude-sonnet", Archetype: "maker", ParentSession: "s-orchestrator-01"}

func sessionExamples() map[events.Type]any {
	return map[events.Type]any{
		sessionevents.TypeSessionOpened: &sessionevents.SessionOpened{
			Session: exampleSession, Task: "Retry failed payment calls, at most three times.",
			Constraints: []string{"no new dependencies"},
			Conventions: []sessionevents.Convention{{ID: "http-client", Rule: "All HTTP goes through internal/httpx.", Wrapper: "internal/httpx", Bypass: []string{"net/http"}}},
			Codebase: &sessionevents.Codebase{
				Files: []string{"internal/httpx/client.go", "internal/payment/charge.go"},
				Symbols: []sessionevents.Symbol{{
					Name: "Retry", Kind: "function", Path: "internal/httpx/client.go", Line: 41, Language: "go",
					Signature: "(ctx context.Context, n int, call func() error) error", Container: "Client", Shingles: []uint32{71203, 990412},
				}},
			},
			Agent: &primary, Run: exampleRun, Workspace: "checkout", Transcript: "/home/mara/.claude/projects/checkout/s-checkout-01.jsonl",
		},
		sessionevents.TypeTurnRaw: exampleTurn(),
		sessionevents.TypeHookReceived: &sessionevents.HookReceived{
			Session: exampleSession, Agent: sessionevents.Agent{Kind: "claude-code"}, Event: "PreToolUse", Run: exampleRun, Workspace: "checkout",
			Payload: json.RawMessage(`{"session_id":"s-checkout-01","hook_event_name":"PreToolUse","cwd":"/srv/checkout","tool_name":"Bash","tool_use_id":"call-1","tool_input":{"command":"git push origin main"}}`),
			Answer: &sessionevents.HookAnswer{
				Decision: sessionevents.HookDeny, Class: sessionevents.HookHalt, Rule: "RW-33", Text: "The run is halted; a person decides how it goes on.", Reason: "The run stands halted since a hard break.",
			},
		},
		sessionevents.TypeSessionClosed: &sessionevents.SessionClosed{
			Session: exampleSession, Reason: "completed",
		},
		sessionevents.TypeInterruptDelivery: &sessionevents.InterruptDelivery{
			Interrupt: "i-7f3q", Session: exampleSession, Turn: 7, State: sessionevents.DeliveryDelivered, Channel: "hook:UserPromptSubmit", By: "scaffoldwatch hook",
		},
		sessionevents.TypeGuardDecided: &sessionevents.GuardDecided{
			Session: exampleSession, Run: exampleRun, Turn: 7, Workspace: "/srv/checkout", Call: "call-2", Tool: "Bash", Agent: "claude-code", Command: "git checkout .",
			Acts:    []sessionevents.GuardAct{{Act: "discard", Target: "/srv/checkout/plan.md", Owner: "session:s-checkout-02", Certainty: sessionevents.GuardCertain}},
			Verdict: sessionevents.HookDeny, Class: sessionevents.HookDestructive, Rule: "E3",
			Text:       `git checkout . would destroy work that this session did not do: plan.md of session "s-checkout-02". Commit or stash your own files by name.`,
			Permission: &sessionevents.GuardPermission{How: sessionevents.GuardPrompt, By: "the person at the prompt"}, Word: "4f2", RescueRef: "refs/scaffoldwatch/rescue/s-checkout-01-7", Alone: true,
		},
		sessionevents.TypeOpinionRecorded: &sessionevents.OpinionRecorded{
			Session: exampleSession, Run: exampleRun, Question: "q-4c1f0a77d2", Kind: sessionevents.QuestionSignal, Signal: "sig-9x2k", Detector: "E1", From: 3, Turn: 7,
			Verdict: sessionevents.OpinionRefuted, WorthSaying: sessionevents.WorthNo,
			Why:    "The test that failed in turn 6 passed when it was run again in turn 7.",
			Quotes: []string{"ok  	example.org/checkout/payment	0.412s"},
			Findings: []sessionevents.OpinionFinding{{
				Class: sessionevents.ClassE, Subject: "retries of charge", Turn: 7, Quote: "Retries are covered by tests.",
				Say: "You say that retries are covered by tests, and no test calls Retry.",
			}},
			Void: "a quote does not occur in the question", Model: "claude-sonnet", Provider: "anthropic", PromptDigest: "7d0e3b51c9a2",
			Tokens: sessionevents.OpinionTokens{In: 2412, Out: 84, Cached: 1024}, Cost: sessionevents.MoneyOf(0.0085), Bytes: 8513, DurationMS: 2140,
		},
		sessionevents.TypeWorkspaceObserved: &sessionevents.WorkspaceObserved{
			Session: exampleSession, Run: exampleRun, Turn: 7,
			Asked: []sessionevents.ObservedQuestion{sessionevents.AskedPaths, sessionevents.AskedStatus, sessionevents.AskedCommit, sessionevents.AskedUnpushed, sessionevents.AskedKeys},
			Paths: []sessionevents.ObservedPath{
				{Path: "internal/payment/retry.go", Exists: true, Tracked: ptr(true), Changed: ptr(false)}, {Path: "docs/retry.md"},
			},
			Commit: "3f2c9a17d0b94c5e8f6a1b2c3d4e5f60718293a4", Unpushed: ptr(2),
			Keys: []sessionevents.ObservedKey{{Path: ".env", Key: "PAYMENT_RETRIES", Set: true}},
		},
		sessionevents.TypeCheckObserved: &sessionevents.CheckObserved{
			Session: exampleSession, Run: exampleRun, Workspace: "/srv/checkout", Turn: 7, Command: "go test ./...", From: "go.mod",
			Check:    sessionevents.Check{Kind: sessionevents.CheckTest, Runner: "go test", Scope: []string{"./..."}, Result: sessionevents.CheckFailed, Failed: 1, FailedNames: []string{"TestRetry"}},
			ExitCode: 1, Summary: "--- FAIL: TestRetry", Duration: 5230, Tree: "9f86d081884c7d659a2feaa0c55ad015", At: "3f2c9a1", Later: true, Expired: true, By: "mara",
		},
		runevents.TypeContentPurged: &runevents.ContentPurged{
			By: "mara", Why: "request 4711", IDs: []string{exampleSession}, Erased: []runevents.Erasure{{
				Stream: "SEGMENTS", Messages: 4, Bytes: 5120, Sequences: "3-5,9", Digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
			}},
		},
		runevents.TypeOperatorAct: &runevents.OperatorAct{
			Act: runevents.ActDismiss, Session: exampleSession, Run: exampleRun, Target: "i-7f3q", By: "mara", Why: "the second client is intended",
			Details: json.RawMessage(`{"false_positive":true}`),
		},
		events.TypeTimerExpired: &events.TimerExpired{
			Name: "session.idle", Session: exampleSession, Run: exampleRun, Due: time.Date(2026, 11, 20, 11, 30, 0, 125_000_000, time.UTC), Details: json.RawMessage(`{"project":"shop"}`),
		},
	}
}

func exampleTurn() *sessionevents.Turn {
	return &sessionevents.Turn{
		Session: exampleSession, TurnID: "turn-7", Agent: primary, Run: exampleRun, Format: "blocks",
		Blocks: []sessionevents.Block{
			{Type: sessionevents.BlockUser, Text: "Add the retry now."},
			{Type: sessionevents.BlockThinking, Text: "The payment client has no retry yet."},
			{Type: sessionevents.BlockText, Text: "I will write a retry helper for the payment client."},
			{Type: sessionevents.BlockToolCall, ID: "call-1", Name: "Edit", Input: json.RawMessage(`{"file_path":"internal/payment/retry.go"}`)},
			{
				Type: sessionevents.BlockToolResult, ID: "call-1", Output: "ok", IsError: ptr(false), ExitCode: ptr(0),
				Patch: []sessionevents.FilePatch{{
					Path: "internal/payment/retry.go", Op: sessionevents.DiffCreate,
					Hunks: []sessionevents.Hunk{{NewStart: 1, Lines: []string{"+package payment", "+", "+func retry(n int, call func() error) error { return nil }"}}},
				}},
			},
			{Type: sessionevents.BlockToolCall, ID: "call-2", Name: "Bash", Input: json.RawMessage(`{"command":"rm -r build"}`)},
			{Type: sessionevents.BlockToolResult, ID: "call-2", Rejected: true},
		},
		StopReason: "end_turn",
		Usage:      &sessionevents.Usage{InputTokens: 18230, OutputTokens: 641, CacheRead: 16000, CacheWrite: 900, CostUSD: 0.031},
		Compacted:  true, ForkOf: "turn-5", Unsupported: []string{"call browser_tool_use"},
	}
}

func segmentExamples() map[events.Type]any {
	return map[events.Type]any{
		sessionevents.TypeTurnSegmented: &sessionevents.TurnSegmented{
			Session: exampleSession, Turn: 7, TurnID: "turn-7", Agent: primary, Run: exampleRun,
			Segments: []sessionevents.Segment{
				{Index: 0, Kind: sessionevents.SegmentUser, Text: "Add the retry now.", Offset: 0, Length: 18},
				{Index: 1, Kind: sessionevents.SegmentPlan, Text: "I will write a retry helper for the payment client.", Offset: 19, Length: 51},
				exampleDiff(),
				exampleError(),
			},
			Instructions: []sessionevents.Instruction{{File: "AGENTS.md", Text: "Before you commit, run `make lint`."}},
			Secrets: []sessionevents.SecretFinding{{
				Rule: "generic-api-key", Fingerprint: "9c1f04ab77d2", Tier: sessionevents.SecretNamedEntropy, Confidence: 0.9, Entropy: 4.2, Length: 40,
				Variable: "apiKey", Placeholder: true, TestFile: true, Segment: 2, Offset: 12,
			}},
			Bytes: 1840, Continuity: &sessionevents.Continuity{Fork: true, ForkOf: "turn-5", OutOfOrder: true, Compacted: true, Resumed: true},
			StopReason: "end_turn", Usage: &sessionevents.Usage{InputTokens: 18230, OutputTokens: 641},
			Format: "blocks", Unsupported: []string{"language:zig"}, Extra: map[string]json.RawMessage{"harness_version": json.RawMessage(`"2.1.4"`)},
		},
		events.TypeTimerSet: &events.TimerSet{
			Name: "session.idle", Session: exampleSession, Run: exampleRun, Due: time.Date(2026, 11, 20, 11, 30, 0, 125_000_000, time.UTC), Group: "project-shop", Details: json.RawMessage(`{"project":"shop"}`),
		},
	}
}

func exampleDiff() sessionevents.Segment {
	return sessionevents.Segment{
		Index: 2, Kind: sessionevents.SegmentDiff, Offset: 71, Length: 210, Path: "internal/payment/retry.go", Language: "go",
		Tool:   &sessionevents.ToolCall{Name: "Edit", Canonical: sessionevents.ToolEdit, CallID: "call-1", Input: json.RawMessage(`{"file_path":"internal/payment/retry.go"}`), InputHash: "c0ffee12"},
		Result: &sessionevents.ResultDigest{Bytes: 2, Lines: 1, Head: "ok", Hash: "2689367b205c16ce"},
		Diff: &sessionevents.Diff{Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{{
			NewStart: 1, Lines: []string{"+package payment", "+", "+func retry(n int, call func() error) error { return nil }"},
		}}},
		Accesses: []sessionevents.Access{{Kind: sessionevents.AccessWrite, Target: "internal/payment/retry.go"}},
		Symbols:  []sessionevents.Symbol{{Name: "retry", Kind: "function", Path: "internal/payment/retry.go", Line: 3, Language: "go"}},
		Imports:  []string{"context"},
	}
}

func exampleError() sessionevents.Segment {
	return sessionevents.Segment{
		Index: 3, Kind: sessionevents.SegmentError, Text: "undefined: httpx.Retri", Offset: 282, Length: 22,
		Tool:   &sessionevents.ToolCall{Name: "Bash", Canonical: sessionevents.ToolShell, CallID: "call-3", Command: "go test ./internal/payment", Effects: []string{"test"}},
		Result: &sessionevents.ResultDigest{Bytes: 310, Lines: 6, IsError: true, ExitCode: ptr(1), Head: "# internal/payment", Tail: "FAIL", Hash: "88a1f3c09b7d5e42"},
		Error:  &sessionevents.ErrorInfo{ExitCode: ptr(1), Signature: "undefined: httpx.Retri", Confidence: 1},
	}
}

// One story runs through the examples: the run checkout-retry with the session s-checkout-01, in which an
// agent adds retries to a payment client.
const (
	exampleRun     = "checkout-retry"
	exampleSession = "s-checkout-01"
	exampleTrace   = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
)

var exampleTime = time.Date(2026, 11, 20, 9, 30, 0, 125_000_000, time.UTC)

// Examples returns one complete, realistic event of every type.
func Examples() map[events.Type]events.Event {
	out := map[events.Type]events.Event{}
	for _, group := range []map[events.Type]any{
		sessionExamples(), runExamples(), agentExamples(), waveExamples(), pipelineExamples(),
		segmentExamples(), signalExamples(), decisionExamples(), verdictExamples(),
	} {
		for t, data := range group {
			out[t] = envelope(t, data)
		}
	}
	return maps.Clone(out)
}

// envelope returns the event of a type with the given data.
func envelope(t events.Type, data any) events.Event {
	d, _ := events.Lookup(t)
	e := events.Event{
		Source: "/orchestrators/archeflow", Type: t, Subject: exampleSession, Time: exampleTime,
		DataSchema: events.SchemaID(t), Correlation: exampleRun, PartitionKey: exampleRun, TraceParent: exampleTrace, Data: data,
	}
	if d.RunEvent || aboutRun[t] {
		e.Subject = exampleRun
	}
	if d.Direction == events.DirectionInput {
		e.ID = "example-" + string(t)
		return e
	}
	stage := subjects.StageOf(d.Stream)
	e.Source = "/scaffoldwatch/" + stage
	e.CausationID = "example-turn.raw"
	e.ID = events.DerivedID(stage, "/orchestrators/archeflow", e.CausationID+string(t), 0)
	e.RulesVersion = "2026.11.1"
	e.ConfigHash = "5b0c7d1e9f3a2486"
	return e
}

// aboutRun are the derived types whose example is about the run itself.
var aboutRun = map[events.Type]bool{
	runevents.TypeEscalationRaised: true, runevents.TypeWiggumBreak: true, runevents.TypeGateDecided: true,
	runevents.TypeViolationDetected: true, runevents.TypeWarningIssued: true, runevents.TypePolicyBudget: true,
	runevents.TypePolicyCheckpoint: true, runevents.TypeCorrectionIssued: true, runevents.TypeClarificationRequested: true,
	runevents.TypeClarificationDefaulted: true, runevents.TypeNotificationSent: true, runevents.TypeNotificationHeld: true,
}

// Golden returns an example as a structured CloudEvent, indented, with a final newline.
func Golden(e events.Event) ([]byte, error) {
	line, err := events.MarshalStructured(e)
	if err != nil {
		return nil, fmt.Errorf("example of %s: %w", e.Type, err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, line, "", "  "); err != nil {
		return nil, fmt.Errorf("example of %s: %w", e.Type, err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func ptr[T any](v T) *T { return &v }

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
