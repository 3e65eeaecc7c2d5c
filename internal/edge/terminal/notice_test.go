package terminal

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

// decisions are one of each kind about a run.
func decisions() []events.Event {
	recoveries := []events.Option{
		{ID: "1", Text: "Re-run wave (safest)", Tradeoff: "Costs the wave's time again."},
		{ID: "2", Text: "Investigate", Tradeoff: "A person looks at the commits on main before anything else happens, which can take a while"},
		{ID: "3", Text: "Accept as-is", Tradeoff: "Who wrote what cannot be told apart"},
	}
	list := []any{
		&events.RunStarted{Goal: "Limit login attempts to five a minute and address"},
		&events.PolicyBudget{Threshold: 80, Action: "downgrade_models", Spent: 8.1, Limit: 10, Unit: "usd"},
		&events.PolicyBudget{Threshold: 100, Action: "stop", Spent: 10, Limit: 10, Unit: "usd"},
		&events.PolicyCheckpoint{Steps: []string{"Commit and push all work"}, Decision: "continue"},
		&events.PolicyCheckpoint{Steps: []string{"Commit and push all work", "Write the handoff summary to control-center.md"}, Decision: "stop", Why: "82% of the budget is spent."},
		&events.CorrectionIssued{Layer: events.LayerArchetype, Issue: "maker/rogue", Step: 1, Action: "correct", Text: "Read the proposal. Write a test. Commit. Revert out-of-scope files.", Target: events.Recipient{Kind: "agent", ID: "maker-1"}},
		&events.CorrectionIssued{Layer: events.LayerSystem, Issue: "system/echo_chamber", Step: 2, Action: "pause", Text: "Suspicious fast consensus. Re-run Guardian with adversarial prompt.", Target: events.Recipient{Kind: "user"}},
		&events.WiggumBreak{Kind: events.BreakHard, Trigger: events.TriggerAgentFailures, Reason: "3 agents in a row failed or timed out, the last one maker.", WIPAction: events.WIPCommit, Present: "Best result so far: what is committed", UnresolvedFindings: make([]events.Finding, 2)},
		&events.WiggumBreak{Kind: events.BreakSoft, Trigger: events.TriggerLowConvergence, Reason: "the score was below 0.5 in two cycles", WIPAction: events.WIPFinishThenHalt},
		&events.BreakNoted{Kind: events.BreakHard, Trigger: events.TriggerTaskFailures, Reason: "3 tasks in a row failed."},
		&events.ControlChanged{State: events.ControlHalted, Scope: events.ScopeRun, Why: "hard break agent_failures"},
		&events.ControlChanged{State: events.ControlHalted, Scope: events.ScopeSession, Run: "r-1"},
		&events.ControlChanged{State: events.ControlRunning, Scope: events.ScopeRun},
		&events.ControlChanged{State: events.ControlRunning, Scope: events.ScopeRun, Who: "ana", Why: "the disk was full"},
		&events.EscalationRaised{Issue: "break/agent_failures", To: "user", Text: "3 agents in a row failed or timed out.", Options: []events.Option{{ID: "1", Text: "Fix the infrastructure and resume"}}},
		&events.EscalationRaised{Issue: "maker/rogue", To: "user", Text: "task needs re-scoping: maker/rogue, 3 times in cycle 2"},
		&events.EscalationRaised{Issue: "break/agent_failures", To: "user", Text: "Still open: 3 agents in a row failed.", Reminder: true},
		&events.HaltIgnored{Run: "r-1", Count: 2, Reason: "The orchestrator began agent maker after the hard break (agent_failures)."},
		&events.GateDecided{Gate: events.GateSpawn, Decision: events.DecisionAllow, Rule: "PL-20", Why: "nothing stands against it", AgentID: "maker"},
		&events.GateDecided{Gate: events.GateNextPhase, Decision: events.DecisionAllowWithWarning, Rule: "PL-2", Why: "plan handed over notes and no artifact", Phase: "do"},
		&events.GateDecided{Gate: events.GateMerge, Decision: events.DecisionDeny, Rule: "WP-1", Why: "agent B has no commits on its branch", Wave: 1, WhoDecides: "operator", Options: recoveries},
		&events.GateDecided{Gate: events.GateLaunch, Decision: events.DecisionHold, Rule: "I2", Why: "the plan is not approved"},
		&events.ViolationDetected{Code: "SAW-COMMIT-MAIN", Rule: "WP-4", What: "Agent B committed to main while worktrees exist.", Evidence: []events.Reference{{Event: "e"}, {Path: "src/a.go", Line: 3}, {Path: "src/b.go"}}},
		&events.WarningIssued{Code: "I5", Rule: "I5", What: "Agent A left its work uncommitted."},
		&events.ClarificationRequested{RequestID: "q-1", Question: "Which endpoint is meant?", Options: []events.Option{{ID: "A", Text: "login only", Effect: "one handler changes"}, {ID: "B", Text: "all of them"}}, Default: "A", Until: "2026-03-02T13:00:00Z"},
		&events.ClarificationDefaulted{RequestID: "q-1", Default: "A", Options: []events.Option{{ID: "A", Text: "login only"}}},
		&events.InterruptFired{Layer: events.LayerWave, Session: "agent-b", Detector: "WP-4", UrgencyLabel: "WP-4", Message: "Your worktree is .claude/worktrees/wave1-agent-B; you committed to main."},
		&events.RunEvaluated{EventType: events.TypeAgentCompleted},
		&events.RunEvaluated{EventType: events.TypeAgentCompleted, Failed: "it panicked"},
		&events.RunCompleted{Outcome: "failure", Summary: "ArcheFlow: stopped"},
	}
	var out []events.Event
	for i, data := range list {
		out = append(out, events.Event{Subject: "2026-03-02-rate-limit", Time: time.Date(2026, 3, 2, 9, 0, i, 0, time.UTC), Data: data})
	}
	return out
}

// What is decided about runs reads as people's text, in the feed and in scan, at
// 80 and at 120 columns, within the terminal.
func TestDecisionsAboutRuns(t *testing.T) {
	for _, width := range []int{80, 120} {
		var text strings.Builder
		text.WriteString("feed\n\n")
		for _, e := range decisions() {
			if line := plain(width).Feed(e); line != "" {
				text.WriteString(line + "\n")
			}
		}
		text.WriteString("\nscan\n\n")
		for _, e := range decisions() {
			if line := plain(width).Notice(e); line != "" {
				text.WriteString(line + "\n")
			}
		}
		for _, line := range strings.Split(text.String(), "\n") {
			require.LessOrEqual(t, lipgloss.Width(line), width, "%q", line)
			require.Equal(t, strings.TrimRight(line, " "), line)
		}
		path := filepath.Join("testdata", fmt.Sprintf("decisions-%d.txt", width))
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err, "run the test with -update and review the file")
		require.Equal(t, string(want), text.String())
	}
}

// What an agent or orchestrator wrote cannot steer the terminal.
func TestDecisionsAreClean(t *testing.T) {
	const evil = "a\x1b[2Jb\u202ec"
	for _, data := range []any{
		&events.WiggumBreak{Reason: evil, Present: evil, RevertSHA: evil, WIPAction: events.WIPRevert, Trigger: evil},
		&events.CorrectionIssued{Issue: evil, Text: evil, Action: evil, Target: events.Recipient{Kind: evil, ID: evil}},
		&events.EscalationRaised{Issue: evil, To: evil, Text: evil, Options: []events.Option{{ID: evil, Text: evil, Tradeoff: evil, Effect: evil}}},
		&events.GateDecided{Gate: evil, Decision: events.DecisionDeny, Rule: evil, Why: evil, WhoDecides: evil, AgentID: evil, Options: []events.Option{{ID: evil}}},
		&events.ViolationDetected{Code: evil, Rule: evil, What: evil, Evidence: []events.Reference{{Path: evil}}},
		&events.PolicyBudget{Action: evil, Unit: evil},
		&events.PolicyCheckpoint{Decision: "stop", Why: evil, Steps: []string{evil}},
		&events.ClarificationRequested{RequestID: evil, Question: evil, Default: evil, Until: evil, Options: []events.Option{{ID: evil, Text: evil}}},
		&events.ClarificationDefaulted{Default: evil, Options: []events.Option{{ID: evil, Text: evil}}},
		&events.ControlChanged{State: evil, Who: evil, Why: evil},
		&events.HaltIgnored{Reason: evil},
		&events.BreakNoted{Trigger: evil, Reason: evil},
		&events.RunEvaluated{EventType: evil, Failed: evil},
		&events.RunStarted{Goal: evil},
		&events.RunCompleted{Outcome: evil, Summary: evil},
		&events.InterruptFired{Detector: evil, UrgencyLabel: evil, Message: evil},
		&events.InterruptFired{Layer: events.LayerWave, Session: evil, Detector: evil, Message: evil},
	} {
		e := events.Event{Subject: "r", Data: data}
		for _, text := range []string{plain(80).Feed(e), plain(80).Notice(e)} {
			require.NotContains(t, text, "\x1b", "%T", data)
			require.NotContains(t, text, "\u202e", "%T", data)
		}
	}
}
