package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// The hooks that can let a call through, and what a halt says there.
var haltedHooks = []struct{ agent, event, want string }{
	{"claude-code", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":`},
	{"claude-code", "PostToolBatch", `{"continue":false,"stopReason":`},
	{"claude-code", "UserPromptSubmit", `{"decision":"block","reason":`},
	{"codex", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":`},
	{"codex", "PostToolUse", `{}`},
	{"codex", "UserPromptSubmit", `{"decision":"block","reason":`},
	{"gemini", "BeforeTool", `{"continue":false,"stopReason":`},
	{"gemini", "AfterTool", `{"continue":false,"stopReason":`},
	{"gemini", "BeforeAgent", `{"decision":"deny","reason":`},
	{"cursor", "preToolUse", `{"permission":"deny","user_message":`},
	{"cursor", "beforeSubmitPrompt", `{"continue":false,"user_message":`},
}

var (
	shell  = fields{"tool_name": "Bash", "tool_use_id": "x", "tool_input": fields{"command": "ls"}, "prompt": "go on"}
	failed = &runevents.AgentCompleted{AgentID: "maker", Outcome: "failure"}
)

// watchedRun is a run as its orchestrator sees it.
type watchedRun struct {
	*client.Run
	t *testing.T
}

func (s *running) openRun(id string) watchedRun {
	s.t.Helper()
	run, err := client.OpenRun(s.nc, id, client.RunOptions{Source: "/e2e", Patience: patience})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = run.Close() })
	return watchedRun{run, s.t}
}

// tell publishes events of the run and waits for its verdict.
func (r watchedRun) tell(list ...any) (last client.Verdict) {
	r.t.Helper()
	for _, data := range list {
		var err error
		last, err = r.Do(r.t.Context(), data)
		require.NoError(r.t, err)
	}
	return last
}

// halts waits until a hook is answered with a halt that includes why, or, for a hook without a halt,
// returns its answer.
func (a *hookedAgent) halts(event, want, why string) {
	a.t.Helper()
	var reply string
	require.Eventually(a.t, func() bool {
		reply = a.hook(event, shell)
		return reply != "{}" || want == "{}"
	}, patience, 10*time.Millisecond, "%s %s", a.name, event)
	require.True(a.t, strings.HasPrefix(reply, want), "%s %s: %s", a.name, event, reply)
	if want != "{}" {
		require.Contains(a.t, reply, why)
	}
}

// goesOn waits until a hook lets the call through.
func (a *hookedAgent) goesOn(event string) {
	a.t.Helper()
	require.Eventually(a.t, func() bool { return a.hook(event, shell) == "{}" }, patience, 10*time.Millisecond, "%s %s", a.name, event)
}

// RW-30, RW-33, RW-34, EV-8: a hard break of a run halts its sessions at their next hooks, including one
// that was unknown before; a person lets them continue. Sessions of other runs are left alone.
func TestARunHaltsItsAgents(t *testing.T) {
	s := hooked(t, 0)
	run, other := s.openRun("broken"), s.openRun("sound")
	run.tell(&runevents.RunStarted{Goal: "checkout"})
	other.tell(&runevents.RunStarted{Goal: "search"}, failed, failed)
	known := &hookedAgent{running: s, name: "claude-code", session: "known", run: "broken"}
	neighbour := &hookedAgent{running: s, name: "claude-code", session: "neighbour", run: "sound"}
	known.goesOn("PreToolUse")

	require.Equal(t, runevents.ControlHalted, run.tell(failed, failed, failed).State)
	known.halts("PreToolUse", haltedHooks[0].want, "agents in a row failed")
	require.Equal(t, "{}", neighbour.hook("PreToolUse", shell))
	for i, c := range haltedHooks {
		late := &hookedAgent{running: s, name: c.agent, session: fmt.Sprintf("late-%d", i), run: "broken"}
		late.halts(c.event, c.want, "agents in a row failed")
	}

	run.tell(&runevents.RunResumed{Actor: runevents.Actor{Kind: runevents.ActorHuman, ID: "ada"}, By: "ada", Why: "the key was renewed"})
	for _, event := range []string{"PreToolUse", "PostToolBatch", "UserPromptSubmit"} {
		known.goesOn(event)
	}
}

// RW-31, RW-33: a draining run lets its agents finish the task and begin no other; when the task is done,
// they are halted.
func TestADrainingRunFinishesItsTask(t *testing.T) {
	s := hooked(t, 0)
	run := s.openRun("draining")
	a := &hookedAgent{running: s, name: "claude-code", session: "worker", run: "draining"}
	a.goesOn("UserPromptSubmit")
	low := 0.2
	v := run.tell(
		&runevents.RunStarted{Goal: "checkout"}, &runevents.TaskCompleted{Task: "one", Outcome: "success"},
		&runevents.CycleCompleted{Cycle: 1, ConvergenceScore: &low}, &runevents.CycleCompleted{Cycle: 2, ConvergenceScore: &low},
	)
	require.Equal(t, runevents.ControlDraining, v.State)
	a.halts("UserPromptSubmit", `{"decision":"block","reason":`, "draining")
	require.Equal(t, "{}", a.hook("PreToolUse", shell), "the task goes on")
	require.Equal(t, "{}", a.hook("PostToolBatch", fields{"tool_calls": []any{}}))
	require.Equal(t, runevents.ControlHalted, run.tell(&runevents.TaskCompleted{Task: "two", Outcome: "success"}).State)
	a.halts("PreToolUse", haltedHooks[0].want, "halted")
}

// RW-40: a system shadow that returns pauses the run; its agents wait for a person.
func TestAPausedRunStopsItsAgents(t *testing.T) {
	s := hooked(t, 0)
	run := s.openRun("paused")
	a := &hookedAgent{running: s, name: "gemini", session: "worker", run: "paused"}
	a.goesOn("BeforeTool")
	score := 0.8
	for cycle := 1; cycle <= 2; cycle++ {
		for _, reviewer := range []string{"guardian", "sage"} {
			run.tell(&runevents.ReviewCompleted{Reviewer: reviewer, Cycle: cycle, Verdict: "rejected", Findings: []runevents.Finding{
				{ID: fmt.Sprint(reviewer, cycle, "a"), Severity: "WARNING", Category: "security", File: "a.go", Text: "The header of " + reviewer + fmt.Sprint(cycle) + " is not checked.", Fix: "Check it."},
				{ID: fmt.Sprint(reviewer, cycle, "b"), Severity: "WARNING", Category: "security", File: "b.go", Text: "The cookie of " + reviewer + fmt.Sprint(cycle) + " is not checked.", Fix: "Check it."},
			}})
		}
		run.tell(&runevents.CycleCompleted{Cycle: cycle, ConvergenceScore: &score})
	}
	a.halts("BeforeTool", `{"continue":false,"stopReason":`, "paused")
	run.tell(&runevents.RunResumed{Actor: runevents.Actor{Kind: runevents.ActorHuman, ID: "ada"}, By: "ada", Why: "the reviewers have new instructions"})
	a.goesOn("BeforeTool")
}

// RW-35: a session without a run whose responses only fail is halted on the evidence of its own hooks.
func TestFailedResponsesHaltASession(t *testing.T) {
	s := hooked(t, 0)
	a := &hookedAgent{running: s, name: "claude-code", session: "alone"}
	a.goesOn("PreToolUse")
	for range 3 {
		require.Equal(t, "{}", a.hook("StopFailure", fields{"error": "server_error", "last_assistant_message": "API Error: 529"}))
	}
	a.halts("PreToolUse", haltedHooks[0].want, "3 turns in a row failed, the last one with api_error")
}

// RW-40: a correction of an agent whose session is known is part of a reply to its hooks, once, and its
// delivery is recorded.
func TestACorrectionReachesTheAgent(t *testing.T) {
	s := hooked(t, 0)
	run := s.openRun("corrected")
	a := &hookedAgent{running: s, name: "codex", session: "maker-session", run: "corrected"}
	a.goesOn("UserPromptSubmit")
	lines, commits, tests := 300, 1, false
	run.tell(
		&runevents.RunStarted{Goal: "checkout"},
		&runevents.AgentSpawned{AgentID: "maker-1", Archetype: "maker"},
		&runevents.AgentCompleted{
			AgentID: "maker-1", Archetype: "maker", Session: "maker-session", Outcome: "success",
			DiffLines: &lines, Commits: &commits, TestsRun: &tests, FilesChanged: []string{"a.go", "b.go", "c.go"},
		},
	)
	var said []string
	require.Eventually(t, func() bool {
		if reply := a.hook("PostToolUse", shell); reply != "{}" {
			said = append(said, reply)
		}
		return len(said) > 0
	}, patience, 10*time.Millisecond)
	require.Contains(t, said[0], "SCAFFOLD-WATCH CORRECTION [maker/rogue | STEP 1]")
	require.Contains(t, said[0], "Write a test.")
	for range 3 {
		require.Equal(t, "{}", a.hook("PostToolUse", shell), "it is said once")
	}
	require.Equal(t, "{}", a.hook("Stop", fields{"last_assistant_message": "I wrote a test."}))
	require.Eventually(t, func() bool {
		return strings.Contains(strings.Join(s.deliveries("maker-session"), " "), "emitted acked")
	}, patience, 500*time.Millisecond)

	a.hook("SessionEnd", fields{"reason": "other"})
	s.decided(1)
	model, err := decisions.ReadReport(t.Context(), s.broker, "maker-session")
	require.NoError(t, err)
	require.Empty(t, model.Interrupts)
	require.Equal(t, model.Budget, model.BudgetLeft)
	require.Len(t, model.ForRun, 1)
	require.Equal(t, []sessionevents.DeliveryState{sessionevents.DeliveryEmitted, sessionevents.DeliveryAcked}, []sessionevents.DeliveryState{model.ForRun[0].Deliveries[0].State, model.ForRun[0].Deliveries[1].State})
}
