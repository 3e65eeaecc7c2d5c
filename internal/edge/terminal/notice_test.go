package terminal

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

// decisions returns one of each kind about a run.
func decisions() []events.Event {
	recoveries := []runevents.Option{
		{ID: "1", Text: "Re-run wave (safest)", Tradeoff: "Costs the wave's time again."},
		{ID: "2", Text: "Investigate", Tradeoff: "A person looks at the commits on main before anything else happens, which can take a while"},
		{ID: "3", Text: "Accept as-is", Tradeoff: "Who wrote what cannot be told apart"},
	}
	list := []any{
		&runevents.RunStarted{Goal: "Limit login attempts to five a minute and address"},
		&runevents.PolicyBudget{Threshold: 80, Action: "downgrade_models", Spent: 8.1, Limit: 10, Unit: "usd"},
		&runevents.PolicyBudget{Threshold: 100, Action: "stop", Spent: 10, Limit: 10, Unit: "usd"},
		&runevents.PolicyCheckpoint{Steps: []string{"Commit and push all work"}, Decision: "continue"},
		&runevents.PolicyCheckpoint{Steps: []string{"Commit and push all work", "Write the handoff summary to control-center.md"}, Decision: "stop", Why: "82% of the budget is spent."},
		&runevents.CorrectionIssued{Layer: sessionevents.LayerArchetype, Issue: "maker/rogue", Step: 1, Action: "correct", Text: "Read the proposal. Write a test. Commit. Revert out-of-scope files.", Target: runevents.Recipient{Kind: "agent", ID: "maker-1"}},
		&runevents.CorrectionIssued{Layer: sessionevents.LayerSystem, Issue: "system/echo_chamber", Step: 2, Action: "pause", Text: "Suspicious fast consensus. Re-run Guardian with adversarial prompt.", Target: runevents.Recipient{Kind: "user"}},
		&runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: runevents.TriggerAgentFailures, Reason: "3 agents in a row failed or timed out, the last one maker.", WIPAction: runevents.WIPCommit, Present: "Best result so far: what is committed", UnresolvedFindings: make([]runevents.Finding, 2)},
		&runevents.WiggumBreak{Kind: runevents.BreakSoft, Trigger: runevents.TriggerLowConvergence, Reason: "the score was below 0.5 in two cycles", WIPAction: runevents.WIPFinishThenHalt},
		&runevents.BreakNoted{Kind: runevents.BreakHard, Trigger: runevents.TriggerTaskFailures, Reason: "3 tasks in a row failed."},
		&runevents.ControlChanged{State: runevents.ControlHalted, Scope: runevents.ScopeRun, Why: "hard break agent_failures"},
		&runevents.ControlChanged{State: runevents.ControlHalted, Scope: runevents.ScopeSession, Run: "r-1"},
		&runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeRun},
		&runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeRun, Who: "ana", Why: "the disk was full"},
		&runevents.EscalationRaised{Issue: "break/agent_failures", To: "user", Text: "3 agents in a row failed or timed out.", Options: []runevents.Option{{ID: "1", Text: "Fix the infrastructure and resume"}}},
		&runevents.EscalationRaised{Issue: "maker/rogue", To: "user", Text: "task needs re-scoping: maker/rogue, 3 times in cycle 2"},
		&runevents.EscalationRaised{Issue: "break/agent_failures", To: "user", Text: "Still open: 3 agents in a row failed.", Reminder: true},
		&runevents.HaltIgnored{Run: "r-1", Count: 2, Reason: "The orchestrator began agent maker after the hard break (agent_failures)."},
		&runevents.GateDecided{Gate: runevents.GateSpawn, Decision: runevents.DecisionAllow, Rule: "PL-20", Why: "nothing stands against it", AgentID: "maker"},
		&runevents.GateDecided{Gate: runevents.GateNextPhase, Decision: runevents.DecisionAllowWithWarning, Rule: "PL-2", Why: "plan handed over notes and no artifact", Phase: "do"},
		&runevents.GateDecided{Gate: runevents.GateMerge, Decision: runevents.DecisionDeny, Rule: "WP-1", Why: "agent B has no commits on its branch", Wave: 1, WhoDecides: "operator", Options: recoveries},
		&runevents.GateDecided{Gate: runevents.GateLaunch, Decision: runevents.DecisionHold, Rule: "I2", Why: "the plan is not approved"},
		&runevents.ViolationDetected{Code: "SAW-COMMIT-MAIN", Rule: "WP-4", What: "Agent B committed to main while worktrees exist.", Evidence: []runevents.Reference{{Event: "e"}, {Path: "src/a.go", Line: 3}, {Path: "src/b.go"}}},
		&runevents.WarningIssued{Code: "I5", Rule: "I5", What: "Agent A left its work uncommitted."},
		&runevents.ClarificationRequested{RequestID: "q-1", Question: "Which endpoint is meant?", Options: []runevents.Option{{ID: "A", Text: "login only", Effect: "one handler changes"}, {ID: "B", Text: "all of them"}}, Default: "A", Until: time.Date(2026, 3, 2, 13, 0, 0, 0, time.UTC)},
		&runevents.ClarificationDefaulted{RequestID: "q-1", Default: "A", Options: []runevents.Option{{ID: "A", Text: "login only"}}},
		&sessionevents.InterruptFired{Layer: sessionevents.LayerWave, Session: "agent-b", Detector: "WP-4", UrgencyLabel: "WP-4", Message: "Your worktree is .claude/worktrees/wave1-agent-B; you committed to main."},
		&runevents.RunEvaluated{EventType: runevents.TypeAgentCompleted},
		&runevents.RunEvaluated{EventType: runevents.TypeAgentCompleted, Failed: "it panicked"},
		&runevents.RunCompleted{Outcome: "failure", Summary: "ArcheFlow: stopped"},
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
		&runevents.WiggumBreak{Reason: evil, Present: evil, RevertSHA: evil, WIPAction: runevents.WIPRevert, Trigger: evil},
		&runevents.CorrectionIssued{Issue: evil, Text: evil, Action: evil, Target: runevents.Recipient{Kind: evil, ID: evil}},
		&runevents.EscalationRaised{Issue: evil, To: evil, Text: evil, Options: []runevents.Option{{ID: evil, Text: evil, Tradeoff: evil, Effect: evil}}},
		&runevents.GateDecided{Gate: evil, Decision: runevents.DecisionDeny, Rule: evil, Why: evil, WhoDecides: evil, AgentID: evil, Options: []runevents.Option{{ID: evil}}},
		&runevents.ViolationDetected{Code: evil, Rule: evil, What: evil, Evidence: []runevents.Reference{{Path: evil}}},
		&runevents.PolicyBudget{Action: evil, Unit: evil},
		&runevents.PolicyCheckpoint{Decision: "stop", Why: evil, Steps: []string{evil}},
		&runevents.ClarificationRequested{RequestID: evil, Question: evil, Default: evil, Options: []runevents.Option{{ID: evil, Text: evil}}},
		&runevents.ClarificationDefaulted{Default: evil, Options: []runevents.Option{{ID: evil, Text: evil}}},
		&runevents.ControlChanged{State: evil, Who: evil, Why: evil},
		&runevents.HaltIgnored{Reason: evil},
		&runevents.BreakNoted{Trigger: evil, Reason: evil},
		&runevents.RunEvaluated{EventType: evil, Failed: evil},
		&runevents.RunStarted{Goal: evil},
		&runevents.RunCompleted{Outcome: evil, Summary: evil},
		&sessionevents.InterruptFired{Detector: evil, UrgencyLabel: evil, Message: evil},
		&sessionevents.InterruptFired{Layer: sessionevents.LayerWave, Session: evil, Detector: evil, Message: evil},
	} {
		e := events.Event{Subject: "r", Data: data}
		for _, text := range []string{plain(80).Feed(e), plain(80).Notice(e)} {
			require.NotContains(t, text, "\x1b", "%T", data)
			require.NotContains(t, text, "\u202e", "%T", data)
		}
	}
}
