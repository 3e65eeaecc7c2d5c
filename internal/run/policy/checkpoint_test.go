package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-20: a checkpoint comes with the third task since the last one, its steps in
// order; the run goes on.
func TestCheckpointByTasks(t *testing.T) {
	done := &runevents.TaskCompleted{Outcome: "success"}
	p := newPlayer(t)
	for range 2 {
		require.Empty(t, of[runevents.PolicyCheckpoint](p.feed(done, done)))
		got := of[runevents.PolicyCheckpoint](p.feed(done))
		require.Equal(t, []*runevents.PolicyCheckpoint{{Steps: p.config.Checkpoint.Steps, Decision: "continue", Why: "3 tasks completed."}}, got)
	}
	require.Equal(t, runevents.ControlRunning, p.state.Control.State)
}

// RW-20: no checkpoint where the same event halts the run, while it is stopped or
// after its end; of a session's break it takes no notice.
func TestNoCheckpointOfAStoppedRun(t *testing.T) {
	done, fails := &runevents.TaskCompleted{Outcome: "success"}, &runevents.TaskCompleted{Outcome: "failure"}
	p := newPlayer(t)
	p.feed(fails, fails)
	out := p.feed(fails)
	require.Len(t, of[runevents.WiggumBreak](out), 1)
	require.Empty(t, of[runevents.PolicyCheckpoint](out), "the run halts")
	require.Empty(t, of[runevents.PolicyCheckpoint](p.feed(done)), "it is halted")
	require.Equal(t, 3, p.state.Checkpoint.Tasks, "what is done against the halt does not count")
	p.feed(resume())
	require.Len(t, of[runevents.PolicyCheckpoint](p.feed(done)), 1)

	p = newPlayer(t)
	p.feed(done, done, &runevents.RunCompleted{})
	require.Empty(t, of[runevents.PolicyCheckpoint](p.feed(done)), "it is over")

	p = newPlayer(t)
	p.feed(done, done, &runevents.SpendReported{Spent: 96, Limit: 100})
	require.Len(t, of[runevents.PolicyCheckpoint](p.feed(done)), 1, "it drains")
}

// RW-20: above, not at, the share of the budget a checkpoint stops the run.
func TestBudgetAtTheCheckpoint(t *testing.T) {
	for spent, want := range map[float64]string{
		80:   "",
		80.5: "3 tasks completed: 80.5 of 100 USD spent, more than 80%.",
	} {
		done := &runevents.TaskCompleted{Outcome: "success"}
		p := newPlayer(t)
		p.feed(&runevents.SpendReported{Spent: spent, Limit: 100, Unit: "USD"}, done, done)
		out := p.feed(done)
		require.Equal(t, want, stops(out))
		broken := of[runevents.WiggumBreak](out)
		require.Equal(t, want != "", len(broken) == 1)
		if want != "" {
			require.Contains(t, broken[0].Reason, "Checkpoint, "+want)
			require.Equal(t, []string{"e4"}, broken[0].Evidence)
		}
	}
}

// RW-20: the clock begins with the run, again with each checkpoint, and only one
// runs; a halt stops it and a resume starts it.
func TestClockOfTheCheckpoint(t *testing.T) {
	set := func(p *player, data any) []*events.TimerSet {
		var out []*events.TimerSet
		for _, timer := range of[events.TimerSet](p.feed(data)) {
			if timer.Name == checkpointTimer {
				out = append(out, timer)
			}
		}
		return out
	}
	expired := func(timer *events.TimerSet) *events.TimerExpired {
		return &events.TimerExpired{Name: timer.Name, Details: timer.Details}
	}
	p := newPlayer(t)
	first := set(p, &runevents.RunStarted{})
	require.Len(t, first, 1)
	require.Equal(t, p.at.Add(p.config.Checkpoint.Every).UTC(), first[0].Due)
	require.Empty(t, set(p, agent("success")), "one runs")
	out := p.feed(expired(first[0]))
	require.Equal(t, "45m passed.", of[runevents.PolicyCheckpoint](out)[0].Why)
	second := of[events.TimerSet](out)
	require.Len(t, second, 1)
	require.Equal(t, p.at.Add(p.config.Checkpoint.Every).UTC(), second[0].Due)

	done := &runevents.TaskCompleted{Outcome: "success"}
	p.feed(done, done)
	third := set(p, done)
	require.Len(t, third, 1, "a checkpoint by tasks starts it anew")
	require.Empty(t, p.feed(expired(second[0])), "the one before is stale")

	p.feed(agent("failure"), agent("failure"))
	require.Empty(t, set(p, agent("failure")), "halted")
	require.Empty(t, of[runevents.PolicyCheckpoint](p.feed(expired(third[0]))))
	require.Len(t, set(p, resume()), 1)

	require.Empty(t, set(p, &runevents.RunCompleted{}))
	require.False(t, p.state.Checkpoint.Waiting)
	require.Len(t, set(p, &runevents.RunStarted{}), 1)
}

// RW-40, RW-20: a pause of the ladder stops the clock too.
func TestPauseStopsTheClock(t *testing.T) {
	p := newPlayer(t)
	timer := of[events.TimerSet](p.feed(&runevents.RunStarted{}))[0]
	issue := shadow(sessionevents.LayerSystem, "system/echo_chamber", 1)
	p.feed(issue, issue)
	require.Equal(t, runevents.ControlPaused, p.state.Control.State)
	require.Empty(t, p.feed(&events.TimerExpired{Name: timer.Name, Details: timer.Details}))
	require.Len(t, of[events.TimerSet](p.feed(resume())), 1)
}
