package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func gate(decision runevents.GateDecision) func(*run.Context) {
	return func(v *run.Context) {
		v.Conclude(runevents.TypeGateDecided, &runevents.GateDecided{Gate: "spawn", Decision: decision, Rule: "PL-20", Why: "why", WhoDecides: "scaffoldwatch"})
	}
}

// asked is what the gate answers after these events.
func asked(p *player, decision runevents.GateDecision) runevents.GateDecided {
	return *of[runevents.GateDecided](p.requesting(&runevents.AgentSpawned{AgentID: "m"}, gate(decision)))[0]
}

// RW-33: nobody passes a gate of a run that stands still.
func TestGatesOfAHaltedRun(t *testing.T) {
	p := newPlayer(t)
	as := func(decision runevents.GateDecision) runevents.GateDecided {
		return runevents.GateDecided{Gate: "spawn", Decision: decision, Rule: "PL-20", Why: "why", WhoDecides: "scaffoldwatch"}
	}
	p.feed(&runevents.RunStarted{}, agent("failure"), agent("failure"))
	require.Equal(t, as("allow"), asked(p, "allow"))
	p.feed(agent("failure"))
	for _, passes := range []runevents.GateDecision{runevents.DecisionAllow, runevents.DecisionAllowWithWarning} {
		denied := asked(p, passes)
		require.Equal(t, runevents.DecisionDeny, denied.Decision)
		require.Equal(t, "RW-33", denied.Rule)
		require.Equal(t, runevents.DecidedByOperator, denied.WhoDecides)
		require.Contains(t, denied.Why, "The run is halted: 3 agents in a row failed")
		require.Contains(t, denied.Why, "Only an operator lets it go on.")
	}
	require.Equal(t, as("hold"), asked(p, "hold"), "the layer's own")
	p.feed(resume())
	require.Equal(t, as("allow"), asked(p, "allow"))
}

// What drains finishes its task; what the ladder paused waits.
func TestGatesOfADrainingAndAPausedRun(t *testing.T) {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{}, &runevents.SpendReported{Spent: 96, Limit: 100})
	require.Equal(t, runevents.DecisionAllow, asked(p, "allow").Decision)

	p = newPlayer(t)
	p.feed(&runevents.RunStarted{}, shadow(sessionevents.LayerSystem, "system/echo_chamber", 1), shadow(sessionevents.LayerSystem, "system/echo_chamber", 2))
	held := asked(p, "allow")
	require.Equal(t, runevents.DecisionHold, held.Decision)
	require.Contains(t, held.Why, "The run is paused: Paused: RW-3 (echo chamber) came back")

	p = newPlayer(t)
	p.config.ObserveOnly = true
	p.feed(&runevents.RunStarted{}, agent("failure"), agent("failure"), agent("failure"))
	require.Equal(t, runevents.DecisionAllow, asked(p, "allow").Decision, "nothing halts (DP-25)")
}
