package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// shownState is the state of the run that a break would show now.
func shownState(p *player) runevents.RunState {
	shown := of[runevents.WiggumBreak](p.requesting(&runevents.ReviewCompleted{}, isolation))[0].RunState
	shown.LastEvents = nil
	return shown
}

// RW-32: a break shows phase, cycle, task and agents at work as the events before it
// left them.
func TestRunStateOfABreak(t *testing.T) {
	spawned := func(id string) *runevents.AgentSpawned { return &runevents.AgentSpawned{AgentID: id} }
	ends := func(id, letter string) *runevents.AgentCompleted {
		return &runevents.AgentCompleted{AgentID: id, Letter: letter, Outcome: runevents.RunOutcomeSuccess}
	}
	for name, test := range map[string]struct {
		events []any
		want   runevents.RunState
	}{
		"a phase of a cycle":         {[]any{&runevents.PhaseStarted{Phase: "do", Cycle: 2}}, runevents.RunState{Phase: "do", Cycle: 2}},
		"a phase without a cycle":    {[]any{&runevents.PhaseStarted{Phase: "do", Cycle: 2}, &runevents.PhaseStarted{Phase: "check"}}, runevents.RunState{Phase: "check", Cycle: 2}},
		"the first cycle":            {[]any{&runevents.CycleCompleted{Cycle: 1}}, runevents.RunState{Cycle: 1}},
		"a cycle below the first":    {[]any{&runevents.CycleCompleted{Cycle: -1}}, runevents.RunState{}},
		"a task":                     {[]any{&runevents.TaskCompleted{Task: "T1", Outcome: "success"}}, runevents.RunState{Task: "T1"}},
		"agents in order":            {[]any{spawned("b"), spawned("a"), spawned("b")}, runevents.RunState{Agents: []string{"b", "a"}}},
		"an agent without an id":     {[]any{spawned("")}, runevents.RunState{}},
		"an agent of a wave":         {[]any{&runevents.AgentStarted{Letter: "A"}}, runevents.RunState{Agents: []string{"A"}}},
		"an id before a letter":      {[]any{&runevents.AgentStarted{AgentID: "maker", Letter: "A"}}, runevents.RunState{Agents: []string{"maker"}}},
		"an agent ends":              {[]any{spawned("a"), spawned("b"), ends("a", "")}, runevents.RunState{Agents: []string{"b"}}},
		"an agent ends by letter":    {[]any{&runevents.AgentStarted{Letter: "A"}, spawned("b"), ends("maker", "A")}, runevents.RunState{Agents: []string{"b"}}},
		"the run ends":               {[]any{spawned("a"), &runevents.RunCompleted{}}, runevents.RunState{}},
		"what an agent says of it":   {[]any{&runevents.AgentCompleted{AgentID: "a", Phase: "do", Task: "T2", Cycle: 3, Outcome: "success"}}, runevents.RunState{Phase: "do", Task: "T2", Cycle: 3}},
		"an agent that says nothing": {[]any{&runevents.PhaseStarted{Phase: "do", Cycle: 2}, &runevents.TaskCompleted{Task: "T1", Outcome: "success"}, ends("a", "")}, runevents.RunState{Phase: "do", Cycle: 2, Task: "T1"}},
		"spend without a limit":      {[]any{&runevents.SpendReported{Spent: 1, Unit: "USD"}}, runevents.RunState{Budget: &runevents.Spending{Spent: 1, Unit: "USD"}}},
		"a limit without spend":      {[]any{&runevents.RunStarted{Budget: &runevents.Allowance{Limit: 1, Unit: "USD"}}}, runevents.RunState{Budget: &runevents.Spending{Limit: 1, Unit: "USD"}}},
		"neither":                    {[]any{&runevents.SpendReported{Unit: "USD"}}, runevents.RunState{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.feed(test.events...)
			require.Equal(t, test.want, shownState(p))
		})
	}
}

// RW-32: the newest agents and events are kept.
func TestRunStateIsBounded(t *testing.T) {
	p := newPlayer(t)
	p.config.Kept.Agents, p.config.Kept.Events = 2, 2
	for _, id := range []string{"a", "b", "c"} {
		p.feed(&runevents.AgentSpawned{AgentID: id})
	}
	broken := of[runevents.WiggumBreak](p.requesting(&runevents.ReviewCompleted{}, isolation))[0]
	require.Equal(t, []string{"b", "c"}, broken.RunState.Agents)
	require.Equal(t, []string{"e3", "e4"}, broken.RunState.LastEvents)
}

// RW-32: the best result of a run without cycles is what it completed.
func TestBestResultWithoutCycles(t *testing.T) {
	for tasks, want := range []string{"what is committed", "1 task completed", "2 tasks completed"} {
		p := newPlayer(t)
		for range tasks {
			p.feed(&runevents.TaskCompleted{Outcome: "success"})
		}
		p.feed(agent("failure"), agent("failure"))
		require.Equal(t, "Best result so far: "+want+".", of[runevents.WiggumBreak](p.feed(agent("failure")))[0].Present)
	}
}

// A completed run is not broken; work of a new start is, and what an operator
// resumes.
func TestWhenARunIsOver(t *testing.T) {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{}, &runevents.RunCompleted{}, agent("failure"), agent("failure"))
	require.Empty(t, of[runevents.WiggumBreak](p.feed(agent("failure"))), "over")
	p.feed(resume())
	require.Empty(t, of[runevents.WiggumBreak](p.feed(agent("failure"))), "a resume of no break does not begin it again")
	p.feed(&runevents.RunStarted{})
	require.Len(t, of[runevents.WiggumBreak](p.feed(agent("failure"))), 1)

	for name, again := range map[string]any{"by run.resumed": resume(), "by operator.act": &runevents.OperatorAct{Act: "resume", Run: "r", By: "ada", Why: "fixed"}} {
		t.Run(name, func(t *testing.T) {
			p := halted(t)
			p.feed(&runevents.RunCompleted{}, again, agent("failure"), agent("failure"))
			require.Len(t, of[runevents.WiggumBreak](p.feed(agent("failure"))), 1)
		})
	}
	p = halted(t)
	claim := p.event(resume())
	claim.Credential = ""
	p.feed(&runevents.RunCompleted{})
	p.fold(claim)
	require.True(t, p.state.Place.Completed, "not by a claim")
}

// An agent's session is the one that its events name.
func TestTheSessionOfAnAgent(t *testing.T) {
	p := newPlayer(t)
	p.feed(&sessionevents.SessionOpened{Session: "s", Run: "r", Agent: &sessionevents.Agent{ID: "first"}})
	p.feed(&runevents.AgentCompleted{AgentID: "maker", Session: "s", Outcome: "success"})
	require.Equal(t, "maker", p.state.Sessions["s"].Agent)
	p.feed(&runevents.AgentCompleted{Session: "s", Outcome: "success"}, &runevents.AgentCompleted{AgentID: "other", Session: "unknown", Outcome: "success"})
	require.Equal(t, "maker", p.state.Sessions["s"].Agent)
	require.Len(t, p.state.Sessions, 1)
	observed := func(id string) *sessionevents.TurnEvaluated {
		return &sessionevents.TurnEvaluated{Session: "s2", Run: "r", Turn: 4, Observed: &sessionevents.Observations{Agent: &sessionevents.Agent{ID: id}}}
	}
	p.feed(observed(""), observed("maker-2"), observed("maker-3"), &sessionevents.TurnEvaluated{Session: "s2", Run: "r", Turn: 3}, &sessionevents.SessionOpened{Session: "s2", Run: "r", Agent: &sessionevents.Agent{}})
	require.Equal(t, "maker-2", p.state.Sessions["s2"].Agent, "the first one named")
	require.Equal(t, 4, p.state.Sessions["s2"].Turn, "the latest turn")
	require.Equal(t, 4, p.state.Sessions["s2"].Activity, "each turn counts")
}
