package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func refusal(typ, id string) *sessionevents.InputRefused {
	return &sessionevents.InputRefused{Run: "r", Event: id, EventType: typ, Code: "missing_field", Reason: "data.actor: is missing"}
}

func approvedPlan(p *player) {
	ev := p.event(&runevents.PlanApproved{By: "ann"})
	ev.Credential = events.RoleOperator
	p.fold(ev)
}

// EV-3a: while a fact of the run is not known, no gate opens.
func TestRefusedFactShutsTheGates(t *testing.T) {
	for name, cure := range map[string]func(*player){
		"published again": func(p *player) { p.feed(agent("success")) },
		"approved by act": func(p *player) {
			p.feed(&runevents.OperatorAct{Act: runevents.ActApprove, Run: "r", By: "ann", Why: "seen"})
		},
		"approved as plan": approvedPlan,
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.feed(&runevents.RunStarted{})
			require.Equal(t, runevents.DecisionAllow, asked(p, runevents.DecisionAllow).Decision)

			closed := of[runevents.RunEvaluated](p.feed(refusal(runevents.TypeAgentCompleted, "bad")))
			require.Len(t, closed, 1, "who waits for it is answered")
			require.Equal(t, "bad", closed[0].Event)
			require.Equal(t, "refused: data.actor: is missing", closed[0].Failed)

			p.feed(&runevents.TaskCompleted{Task: "t", Outcome: "success"})
			for _, passes := range []runevents.GateDecision{runevents.DecisionAllow, runevents.DecisionAllowWithWarning} {
				denied := asked(p, passes)
				require.Equal(t, runevents.DecisionDeny, denied.Decision)
				require.Equal(t, "EV-3a", denied.Rule)
				require.Contains(t, denied.Why, "agent.completed bad, data.actor: is missing.")
			}
			require.Equal(t, "PL-20", asked(p, runevents.DecisionDeny).Rule, "the layer's own")
			cure(p)
			require.Equal(t, runevents.DecisionAllow, asked(p, runevents.DecisionAllow).Decision)
		})
	}
}

// What no gate reads shuts none.
func TestRefusedNewsShutsNoGate(t *testing.T) {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{}, refusal(runevents.TypeMemoryInjected, "bad"))
	require.Equal(t, runevents.DecisionAllow, asked(p, runevents.DecisionAllow).Decision)
}

// EV-3a: an act whose question was refused is denied.
func TestRefusedQuestionIsDenied(t *testing.T) {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{})
	gates := of[runevents.GateDecided](p.feed(refusal(runevents.TypeWaveMergeRequested, "merge")))
	require.Len(t, gates, 1)
	require.Equal(t, runevents.GateMerge, gates[0].Gate)
	require.Equal(t, runevents.DecisionDeny, gates[0].Decision)
	require.Equal(t, "merge", gates[0].Asked)
	require.Contains(t, gates[0].Why, "data.actor: is missing")
}

// A gate about a run that nobody knows is denied; one about a known run is not.
func TestGateOfAnUnknownRunIsDenied(t *testing.T) {
	ahead := func(p *player) runevents.GateDecided {
		return *of[runevents.GateDecided](p.requesting(&runevents.GateRequested{Gate: runevents.GateSpawn}, func(v *run.Context) {
			v.Gate(runevents.GateDecided{Gate: runevents.GateSpawn, Decision: runevents.DecisionAllow, Rule: "PL-20", Why: "why", Ahead: true})
		}))[0]
	}
	p := newPlayer(t)
	for range 2 { // a question makes no run known
		denied := ahead(p)
		require.Equal(t, runevents.DecisionDeny, denied.Decision)
		require.Contains(t, denied.Why, "Nothing is known of run r")
	}
	p.feed(&runevents.RunStarted{})
	require.Equal(t, runevents.DecisionAllow, ahead(p).Decision)
}
