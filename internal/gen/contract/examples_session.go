package contract

import (
	"encoding/json"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
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
