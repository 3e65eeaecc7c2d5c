package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-34: a resume lets the counters of the break's trigger begin again, and no
// other; one event less than the limit does not break the run then.
func TestResumeRestartsItsCounter(t *testing.T) {
	fails := &runevents.TaskCompleted{Outcome: "failure"}
	rogue := shadow(sessionevents.LayerArchetype, "maker/rogue", 1)
	low := 0.2
	scored := &runevents.CycleCompleted{ConvergenceScore: &low}
	n := 0
	growing := func() []any { // three more cycles, of which each finds one more
		var out []any
		for range 3 {
			n++
			high, cycle := 0.9, &runevents.CycleCompleted{}
			cycle.ConvergenceScore = &high
			for id := range n {
				cycle.Findings = append(cycle.Findings, runevents.Finding{ID: string(rune('A' + id))})
			}
			out = append(out, cycle)
		}
		return out
	}
	for trigger, list := range map[runevents.BreakTrigger][]any{
		runevents.TriggerAgentFailures:  {agent("failure"), agent("timeout"), agent("failure")},
		runevents.TriggerTaskFailures:   {fails, fails, fails},
		runevents.TriggerRepeatedShadow: {rogue, rogue, rogue},
		runevents.TriggerLowConvergence: {scored, scored},
	} {
		t.Run(string(trigger), func(t *testing.T) {
			p := newPlayer(t)
			for range 2 {
				require.Empty(t, of[runevents.WiggumBreak](p.feed(list[:len(list)-1]...)))
				broken := of[runevents.WiggumBreak](p.feed(list[len(list)-1]))
				require.Len(t, broken, 1)
				require.Equal(t, trigger, broken[0].Trigger)
				p.feed(resume())
			}
		})
	}
	p := newPlayer(t)
	p.feed(growing()[:2]...)
	n--
	out := p.feed(growing()[0])
	require.Equal(t, runevents.TriggerGrowingFindings, of[runevents.WiggumBreak](out)[0].Trigger)
	p.feed(resume())
	require.Zero(t, p.state.Cycles.Growth.Count)
}

// RW-34: a resume answers the break's escalation and no other; it is by somebody for
// a reason, both shortened.
func TestResumeAnswersItsEscalation(t *testing.T) {
	p := newPlayer(t)
	p.config.Kept.Text = 4
	p.requesting(agent("success"), func(c *run.Context) {
		c.Escalate(runevents.EscalationRaised{Issue: "another", Layer: sessionevents.LayerWave, Text: "x"})
	})
	p.feed(agent("failure"), agent("failure"), agent("failure"))
	require.Len(t, p.state.Escalations, 2)
	out := p.feed(&runevents.RunResumed{Actor: runevents.Actor{Kind: runevents.ActorHuman}, By: "ada lovelace", Why: "because"})
	require.Len(t, p.state.Escalations, 1)
	require.Equal(t, "another", p.state.Escalations[0].Issue)
	require.Equal(t, "ada …", of[runevents.ControlChanged](out)[0].Who)
	require.Equal(t, "beca…", of[runevents.ControlChanged](out)[0].Why)
}

// RW-34: a resume needs who and why, whichever is missing.
func TestIncompleteResume(t *testing.T) {
	for name, test := range map[string]struct{ by, why string }{"nobody": {"", "x"}, "blank": {" ", "x"}, "no reason": {"ada", ""}, "a blank reason": {"ada", "\t"}, "neither": {}} {
		t.Run(name, func(t *testing.T) {
			p := halted(t)
			out := p.feed(&runevents.RunResumed{Actor: runevents.Actor{Kind: runevents.ActorHuman}, By: test.by, Why: test.why})
			warned := of[runevents.WarningIssued](out)
			require.Len(t, warned, 1)
			require.Equal(t, runevents.WarningIssued(runevents.Judgement{
				Code: CodeResumeIncomplete, Rule: "RW-34", What: "A resume needs who resumes (by) and why; nothing was resumed.",
				Evidence: []runevents.Reference{{Event: "e4"}},
			}), *warned[0])
			require.Equal(t, runevents.ControlHalted, p.state.Control.State)
		})
	}
}

// RW-34: a recovery that is chosen resumes the breaks that have one.
func TestRecoveryByTrigger(t *testing.T) {
	person := runevents.Actor{Kind: runevents.ActorHuman}
	for trigger, resumes := range map[runevents.BreakTrigger]bool{
		runevents.TriggerIsolationFailure: true, runevents.TriggerAutonomousRecovery: true, runevents.TriggerMergedWithoutGate: true,
		runevents.TriggerBrokenSuite: false, runevents.TriggerAgentFailures: false,
	} {
		p := newPlayer(t)
		p.requesting(agent("success"), func(c *run.Context) {
			c.RequestBreak(runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: trigger, Reason: "x"})
		})
		p.feed(&runevents.RecoverySelected{Actor: person, Option: 2})
		require.Equal(t, resumes, p.state.Control.State == runevents.ControlRunning, trigger)
	}
	for name, test := range map[string]struct {
		choice   runevents.RecoverySelected
		who, why string
	}{
		"who and why":   {runevents.RecoverySelected{Actor: runevents.Actor{Kind: runevents.ActorHuman, ID: "ada"}, By: "bob", Why: "w", Option: 2}, "bob", "w"},
		"its actor":     {runevents.RecoverySelected{Actor: runevents.Actor{Kind: runevents.ActorHuman, ID: "ada"}, Option: 2}, "ada", "recovery option 2"},
		"without names": {runevents.RecoverySelected{Actor: person, Option: 3}, "without a name", "recovery option 3"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.requesting(agent("success"), isolation)
			changed := of[runevents.ControlChanged](p.feed(&test.choice))
			require.Equal(t, test.who, changed[0].Who)
			require.Equal(t, test.why, changed[0].Why)
		})
	}
	p := newPlayer(t)
	require.Empty(t, of[runevents.ControlChanged](p.feed(&runevents.RunStarted{}, &runevents.RecoverySelected{Actor: person, Option: 1})), "nothing is open")
}

// RW-33: after a resume the next halt counts what is ignored from the beginning; a
// session with a halt of its own keeps its count.
func TestResumeForgetsWhatWasIgnored(t *testing.T) {
	turn := func(session string, n int) *sessionevents.TurnEvaluated {
		return &sessionevents.TurnEvaluated{Session: session, Run: "r", Turn: n}
	}
	ignored := func(p *player, data any) []int {
		var out []int
		for _, one := range of[runevents.HaltIgnored](p.feed(data)) {
			out = append(out, one.Count)
		}
		return out
	}
	p := newPlayer(t)
	fails := agent("failure")
	p.feed(turn("s1", 1), turn("s2", 1), fails, fails, fails)
	require.Equal(t, []int{1}, ignored(p, turn("s1", 2)))
	require.Equal(t, []int{2}, ignored(p, turn("s1", 3)))
	require.Equal(t, []int{1}, ignored(p, &runevents.PhaseStarted{Phase: "do"}))
	require.Equal(t, []int{2}, ignored(p, &runevents.PhaseStarted{Phase: "do"}))
	p.feed(resume())
	require.Empty(t, ignored(p, turn("s1", 4)))
	p.feed(fails, fails, fails)
	require.Equal(t, []int{1}, ignored(p, turn("s1", 5)))
	require.Equal(t, []int{1}, ignored(p, &runevents.PhaseStarted{Phase: "do"}))

	p = newPlayer(t)
	p.feed(&runevents.RunStarted{})
	p.requesting(turn("s1", 1), func(c *run.Context) {
		c.RequestBreak(runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: runevents.TriggerStuckLoop, Scope: runevents.ScopeSession, Session: "s1", Reason: "x"})
	})
	p.feed(fails, fails, fails)
	require.Equal(t, []int{1}, ignored(p, turn("s1", 2)))
	p.feed(resume())
	require.Equal(t, []int{2}, ignored(p, turn("s1", 3)), "its own halt is open")
	p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", Session: "s1", By: "ada", Why: "x"})
	require.Empty(t, ignored(p, turn("s1", 4)))
}

// RW-33: what an ignored halt says, and to whom it is escalated, once a break.
func TestIgnoredHaltIsEscalatedOnce(t *testing.T) {
	p := halted(t)
	for name, test := range map[string]struct {
		data any
		what string
	}{
		"spawned": {&runevents.AgentSpawned{AgentID: "m"}, "agent m"}, "nameless": {&runevents.AgentSpawned{}, "agent without a name"},
		"started": {&runevents.AgentStarted{Letter: "B"}, "agent B"}, "phase": {&runevents.PhaseStarted{Phase: "do"}, "phase do"}, "wave": {&runevents.WaveStarted{Wave: 3}, "wave 3"},
	} {
		require.Equal(t, "The orchestrator began "+test.what+" after the hard break (agent_failures).", of[runevents.HaltIgnored](p.feed(test.data))[0].Reason, name)
	}
	p = halted(t)
	first := of[runevents.EscalationRaised](p.feed(&runevents.WaveStarted{Wave: 1}))
	require.Len(t, first, 1)
	require.Equal(t, "The orchestrator began wave 1 after the hard break (agent_failures). Stop it by hand.", first[0].Text)
	require.Equal(t, []any{"halt/ignored", runevents.RecipientUser, sessionevents.LayerPolicy, "r"}, []any{first[0].Issue, first[0].To, first[0].Layer, first[0].Run})
	require.Empty(t, of[runevents.EscalationRaised](p.feed(&runevents.WaveStarted{Wave: 2})), "once a break")
	p.config.ObserveOnly = true
	require.Empty(t, of[runevents.HaltIgnored](p.feed(&runevents.WaveStarted{Wave: 3})), "DP-25")
}

// RW-34: a resume names nothing, its run or session, the open break or the soft
// break that it replaced.
func TestWhatAResumeNames(t *testing.T) {
	act := func(target string) *runevents.OperatorAct {
		return &runevents.OperatorAct{Act: "resume", Run: "r", Target: target, By: "ada", Why: "fixed"}
	}
	broken := func() (p *player, soft string) {
		p = newPlayer(t)
		soft = idOf[runevents.WiggumBreak](p.feed(&runevents.SpendReported{Spent: 95, Limit: 100}))
		p.feed(agent("failure"), agent("failure"), agent("failure"))
		return p, soft
	}
	for _, which := range []string{"", "r", "open", "soft", "another"} {
		p, soft := broken()
		target := map[string]string{"open": p.state.Control.Open.ID, "soft": soft}[which]
		if target == "" {
			target = which
		}
		p.feed(act(target))
		require.Equal(t, which != "another", p.state.Control.State == runevents.ControlRunning, which)
	}
}

// RW-34: acts about what does not need them.
func TestResumesOfNothing(t *testing.T) {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{}, &sessionevents.SessionOpened{Session: "s", Run: "r"})
	require.Empty(t, of[runevents.WarningIssued](p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", Session: "unknown", By: "ada", Why: "x"})))
	require.Empty(t, of[runevents.WarningIssued](p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", Session: "s", By: "ada", Why: "x"})), "nothing holds it")
	require.Empty(t, of[runevents.WarningIssued](p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", By: "ada", Why: "x"})), "nor the run")
	p.feed(&runevents.SpendReported{Spent: 95, Limit: 100})
	draining := of[runevents.WarningIssued](p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", Session: "s", By: "ada", Why: "x"}))
	require.Equal(t, "The session is draining with its run; resume the run. Nothing was resumed.", draining[0].What)
	p.question = &run.Question{ID: "q", Why: "It waits."}
	p.feed(&runevents.CouncilCompleted{})
	require.Empty(t, of[runevents.WarningIssued](p.feed(&runevents.OperatorAct{Act: "mute", Run: "r", By: "ada"})), "no resume")
	warned := of[runevents.WarningIssued](p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", Session: "s", By: "ada", Why: "x"}))
	require.Len(t, warned, 1)
	require.Equal(t, CodeResumeRun, warned[0].Code)
	require.Equal(t, "The session is paused with its run; resume the run. Nothing was resumed.", warned[0].What)
}

// IN-13: an agent that ran out of time and committed work made progress; one that
// committed nothing failed.
func TestTimeoutsThatCommittedWork(t *testing.T) {
	for commits, breaks := range map[int]int{0: 1, 1: 0} {
		p := newPlayer(t)
		late := agent("timeout")
		late.Commits = &commits
		p.feed(&runevents.RunStarted{}, late, late)
		require.Len(t, of[runevents.WiggumBreak](p.feed(late)), breaks, "%d commits", commits)
	}
}
