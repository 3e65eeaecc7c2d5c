package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func resume() *runevents.RunResumed {
	return &runevents.RunResumed{Actor: runevents.Actor{Kind: runevents.ActorHuman}, By: "ada", Why: "the proxy works"}
}

func halted(t *testing.T) *player {
	p := newPlayer(t)
	p.feed(agent("failure"), agent("failure"), agent("failure"))
	require.Equal(t, runevents.ControlHalted, p.state.Control.State)
	return p
}

func TestResumeNeedsTheCredential(t *testing.T) { // RW-34, EV-10
	p := halted(t)
	claim := p.event(resume())
	claim.Credential = events.RolePublisher // whatever the actor claims
	out := p.fold(claim)
	require.Equal(t, CodeResumeWithoutOperator, of[runevents.ViolationDetected](out)[0].Code)
	require.Equal(t, runevents.ControlHalted, p.state.Control.State)
	p.feed(resume())
	require.Equal(t, runevents.ControlRunning, p.state.Control.State)
	require.Empty(t, p.state.Escalations, "a resume answers the break's escalation")
}

func TestCountersBeginAgain(t *testing.T) { // RW-34: of the trigger; history stays
	p := newPlayer(t)
	p.feed(&runevents.TaskCompleted{Outcome: "failure"}, &runevents.TaskCompleted{Outcome: "failure"})
	p.feed(agent("failure"), agent("failure"), agent("failure"), resume(), agent("failure"), agent("failure"))
	require.Equal(t, runevents.ControlRunning, p.state.Control.State)
	require.Equal(t, 2, p.state.Tasks.Count, "another trigger's counter goes on")
	require.Equal(t, runevents.TriggerTaskFailures, of[runevents.WiggumBreak](p.feed(&runevents.TaskCompleted{Outcome: "failure"}))[0].Trigger)
}

func TestRecoverySelected(t *testing.T) { // RW-34, WP-2
	choice := &runevents.RecoverySelected{Actor: runevents.Actor{Kind: runevents.ActorHuman, ID: "ada"}, Wave: 1, Option: 1}
	p := newPlayer(t)
	p.requesting(agent("success"), isolation)
	claim := p.event(choice)
	claim.Credential = events.RolePublisher
	p.fold(claim)
	require.Equal(t, runevents.ControlHalted, p.state.Control.State)
	out := p.feed(choice)
	require.Equal(t, &runevents.ControlChanged{State: runevents.ControlRunning, Who: "ada", Why: "recovery option 1", Scope: "run"}, of[runevents.ControlChanged](out)[0])

	p = halted(t)
	p.feed(choice)
	require.Equal(t, runevents.ControlHalted, p.state.Control.State, "no recovery of that")
}

func TestResumeByAct(t *testing.T) { // RW-34
	p := halted(t)
	open := p.state.Control.Open.ID
	require.Equal(t, CodeResumeIncomplete, of[runevents.WarningIssued](p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", By: "ada"}))[0].Code)
	require.Equal(t, CodeResumeStale, of[runevents.WarningIssued](p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", Target: "another", By: "ada", Why: "fixed"}))[0].Code)
	require.Equal(t, runevents.ControlHalted, p.state.Control.State)
	p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", Target: open, By: "ada", Why: "fixed"})
	require.Equal(t, runevents.ControlRunning, p.state.Control.State)

	p = newPlayer(t)
	p.feed(&sessionevents.SessionOpened{Session: "s1", Run: "r"}, agent("failure"), agent("failure"), agent("failure"))
	out := p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", Session: "s1", By: "ada", Why: "fixed"})
	require.Equal(t, CodeResumeRun, of[runevents.WarningIssued](out)[0].Code)
}

func TestResumeOfWhatRuns(t *testing.T) { // PL-10: crash recovery is no offence
	p := newPlayer(t)
	out := p.feed(&runevents.RunResumed{PriorRunID: "r0", By: "loop", Why: "crashed"})
	require.Empty(t, of[runevents.ViolationDetected](out))
	require.Empty(t, of[runevents.WarningIssued](out))
	require.Equal(t, runevents.ControlUnknown, of[runevents.RunEvaluated](newPlayer(t).feed(&runevents.OperatorAct{Act: "resume", Run: "r", By: "ada", Why: "x"}))[0].State)
}

func TestBudgetAfterResume(t *testing.T) { // RW-21, RW-34
	p := newPlayer(t)
	p.feed(&runevents.SpendReported{Spent: 100, Limit: 100}, resume())
	require.Empty(t, of[runevents.WiggumBreak](p.feed(&runevents.SpendReported{Spent: 101, Limit: 100})), "once per run")
	require.Empty(t, of[runevents.PolicyBudget](p.feed(&runevents.SpendReported{Spent: 101, Limit: 200})), "50 was passed and still is")
	out := p.feed(&runevents.SpendReported{Spent: 201, Limit: 200})
	require.Len(t, of[runevents.PolicyBudget](out), 3, "a raised limit has thresholds of its own")
	require.Len(t, of[runevents.WiggumBreak](out), 1)

	p = newPlayer(t)
	p.feed(&runevents.SpendReported{Spent: 50, Limit: 100}, &runevents.SpendReported{Spent: 50, Limit: 200})
	require.Empty(t, of[runevents.PolicyBudget](p.feed(&runevents.SpendReported{Spent: 100, Limit: 200})), "without a resume once per run")
}

func TestHistoryStays(t *testing.T) { // RW-34
	same := func(cycle int) *runevents.CycleCompleted {
		return &runevents.CycleCompleted{Cycle: cycle, Findings: []runevents.Finding{{ID: "F1"}}}
	}
	p := newPlayer(t)
	p.feed(same(1), same(2), resume())
	require.Len(t, of[runevents.WiggumBreak](p.feed(same(3))), 1, "no progress after the resume either")
}

func TestAcknowledge(t *testing.T) { // RW-41
	raise := func(p *player) string {
		p.feed(&runevents.SpendReported{Spent: 100, Limit: 100})
		require.Len(t, p.state.Escalations, 1)
		return p.state.Escalations[0].ID
	}
	p := newPlayer(t)
	id := raise(p)
	p.feed(&runevents.OperatorAct{Act: "ack", Run: "r", Target: "another", By: "ada"})
	require.Len(t, p.state.Escalations, 1)
	p.feed(&runevents.OperatorAct{Act: "ack", Run: "r", Target: id, By: "ada"})
	require.Empty(t, p.state.Escalations)
	require.Equal(t, runevents.ControlHalted, p.state.Control.State, "acknowledged is not resumed")

	p = newPlayer(t)
	id = raise(p)
	timer := &events.TimerExpired{Name: "run.reminder." + id}
	reminder := p.feed(timer)
	require.Equal(t, id, of[runevents.EscalationRaised](reminder)[0].Of)
	require.Empty(t, p.feed(timer), "once")
	p.feed(&runevents.OperatorAct{Act: "ack", Run: "r", Target: reminder[0].ID, By: "ada"})
	require.Empty(t, p.state.Escalations)
	require.Empty(t, p.feed(&events.TimerExpired{Name: "run.reminder.unknown"}))
}

func TestRevert(t *testing.T) { // RW-30
	infra := runevents.Actor{Kind: runevents.ActorInfra}
	for _, c := range []struct {
		name   string
		commit runevents.GitCommit
		want   bool
	}{
		{"git's message", runevents.GitCommit{Actor: infra, Message: "Revert \"x\"\n\nThis reverts commit abc1234def."}, true},
		{"purpose", runevents.GitCommit{Actor: infra, Purpose: "revert"}, true},
		{"another commit", runevents.GitCommit{Actor: infra, Message: "Revert \"x\"\n\nThis reverts commit 999."}, false},
		{"blocked", runevents.GitCommit{Actor: infra, Purpose: "revert", Blocked: true}, false},
		{"claimed", runevents.GitCommit{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator}, Purpose: "revert"}, false},
		{"a fix", runevents.GitCommit{Actor: infra, Message: "Fix the merge"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer(t)
			out := p.feed(&runevents.MergeCompleted{SHA: "abc1234"}, &runevents.TestCompleted{AfterMerge: new(true)})
			require.Equal(t, "abc1234", of[runevents.WiggumBreak](out)[0].RevertSHA)
			p.feed(&c.commit)
			escalated := of[runevents.EscalationRaised](p.feed(resume()))
			require.Equal(t, c.want, len(escalated) == 0, "a resume acknowledges the halt")
		})
	}
}

func TestStaleTimers(t *testing.T) { // RW-20: late, twice, of before
	p := newPlayer(t)
	set := of[events.TimerSet](p.feed(&runevents.RunStarted{}))
	require.Len(t, set, 1)
	require.Equal(t, start.Add(p.config.Checkpoint.Every).Add(1e9).Format("15:04:05"), set[0].Due.Format("15:04:05"))
	timer := &events.TimerExpired{Name: set[0].Name, Details: set[0].Details}
	require.Len(t, of[runevents.PolicyCheckpoint](p.feed(timer)), 1)
	require.Empty(t, p.feed(timer), "the same one again")
	require.Empty(t, p.feed(&events.TimerExpired{Name: set[0].Name, Details: []byte(`{"generation":"x"}`)}))
	require.Empty(t, p.feed(&events.TimerExpired{Name: "run.unknown"}))
}

func TestSilentRunsAreLeftAlone(t *testing.T) { // RW-20: a dead run has no checkpoints for ever
	p := newPlayer(t)
	set := of[events.TimerSet](p.feed(&runevents.RunStarted{}))
	told := 0
	for range 20 {
		if len(set) == 0 {
			break
		}
		out := p.feed(&events.TimerExpired{Name: set[0].Name, Details: set[0].Details})
		told += len(of[runevents.PolicyCheckpoint](out))
		set = of[events.TimerSet](out)
	}
	require.Equal(t, p.config.Checkpoint.Silent, told)
	require.Len(t, of[events.TimerSet](p.feed(agent("success"))), 1, "until it is heard of")
}

func TestUnitsAreNotMixed(t *testing.T) { // RW-21
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{Budget: &runevents.Allowance{Limit: 20, Unit: "USD"}})
	require.Empty(t, of[runevents.PolicyBudget](p.feed(&runevents.SpendReported{Spent: 40000, Unit: "tokens"})))
	require.Len(t, of[runevents.PolicyBudget](p.feed(&runevents.SpendReported{Spent: 10, Unit: "usd"})), 1)
}

func TestACompletedRunIsNotBroken(t *testing.T) { // late reports only tell
	p := newPlayer(t)
	p.feed(agent("failure"), agent("failure"), &runevents.RunCompleted{Outcome: "failure"})
	require.Empty(t, of[runevents.WiggumBreak](p.feed(agent("failure"))))
	out := p.feed(&runevents.SpendReported{Spent: 100, Limit: 100})
	require.Len(t, of[runevents.PolicyBudget](out), 4)
	require.Empty(t, of[runevents.WiggumBreak](out))
}

// RW-34: what was noted on the break, or was the soft break it replaced, counts
// anew too: its person has seen it.
func TestResumeRestartsWhatWasNoted(t *testing.T) {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{}, &runevents.SpendReported{Spent: 100, Limit: 100})
	for range 3 {
		require.Empty(t, of[runevents.WiggumBreak](p.feed(agent("failure"))), "noted")
	}
	p.feed(resume())
	require.Empty(t, of[runevents.WiggumBreak](p.feed(agent("failure"))))
	require.Empty(t, of[runevents.WiggumBreak](p.feed(agent("failure"))))
	require.Len(t, of[runevents.WiggumBreak](p.feed(agent("failure"))), 1)

	low := 0.2
	cycle := func(n int) *runevents.CycleCompleted {
		return &runevents.CycleCompleted{Cycle: n, ConvergenceScore: &low}
	}
	p = newPlayer(t)
	p.feed(&runevents.RunStarted{}, cycle(1))
	require.Len(t, of[runevents.WiggumBreak](p.feed(cycle(2))), 1, "soft")
	p.feed(agent("failure"), agent("failure"))
	require.Len(t, of[runevents.WiggumBreak](p.feed(agent("failure"))), 1, "hard")
	p.feed(resume())
	require.Empty(t, of[runevents.WiggumBreak](p.feed(cycle(3))))
	require.Len(t, of[runevents.WiggumBreak](p.feed(cycle(4))), 1)
}
