package runlist

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// anyDecision returns one of any type that the fold takes, as DECISIONS could hold it.
func anyDecision(t *rapid.T, n int) events.Event {
	id := rapid.SampledFrom([]string{"", "a", "b", "c"})
	d := rapid.SampledFrom(events.All()).Draw(t, "type")
	e := events.Event{
		ID: fmt.Sprint(n), Type: d.Type, Subject: id.Draw(t, "subject"), PartitionKey: "r", CausationID: id.Draw(t, "cause"),
		Time: start.Add(time.Duration(n) * time.Minute), Data: d.New(), Credential: rapid.SampledFrom([]events.Role{
			events.RolePublisher, events.RoleOperator,
		}).Draw(t, "role"),
	}
	switch data := e.Data.(type) {
	case *runevents.RunEvaluated:
		data.Break = id.Draw(t, "break")
	case *runevents.WiggumBreak:
		data.Trigger, data.Upgrades = runevents.TriggerAgentFailures, id.Draw(t, "upgrades")
	case *runevents.EscalationRaised:
		data.Issue, data.Session = rapid.SampledFrom([]string{"break/agent_failures", "maker/rogue"}).Draw(t, "issue"), id.Draw(t, "session")
		data.Reminder, data.Of = rapid.Bool().Draw(t, "reminder"), fmt.Sprint(rapid.IntRange(0, n).Draw(t, "of"))
	case *runevents.ControlChanged:
		data.Scope, data.Break = rapid.SampledFrom([]runevents.Scope{
			runevents.ScopeRun, runevents.ScopeSession,
		}).Draw(t, "scope"), id.Draw(t, "open")
	case *runevents.ClarificationRequested:
		data.RequestID = id.Draw(t, "request")
	case *runevents.ClarificationAnswered:
		data.RequestID = id.Draw(t, "request")
	case *runevents.GateDecided:
		data.Wave, data.Decision = rapid.IntRange(0, 2).Draw(t, "wave"), rapid.SampledFrom([]runevents.GateDecision{
			runevents.DecisionAllow, runevents.DecisionDeny, runevents.DecisionHold,
		}).Draw(t, "decision")
	case *runevents.OperatorAct:
		data.Act, data.Target = "ack", fmt.Sprint(rapid.IntRange(0, n).Draw(t, "target"))
	}
	return e
}

// A state that went through JSON before every event ends as one that did not.
func TestStateGoesThroughJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live, stored := Begin("r"), Begin("r")
		for n := range rapid.IntRange(1, 60).Draw(t, "events") {
			e := anyDecision(t, n)
			live.Apply(e)
			text, err := json.Marshal(stored)
			require.NoError(t, err)
			stored = State{}
			require.NoError(t, json.Unmarshal(text, &stored))
			stored.Apply(e)
		}
		want, err := json.Marshal(live)
		require.NoError(t, err)
		got, err := json.Marshal(stored)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got))
	})
}

// However many runs there are, those of which something came last are kept.
func TestRunsAreBounded(t *testing.T) {
	f := New()
	f.most = 40
	for i := range 500 {
		f.Add(about(i, fmt.Sprint("r", i), "s", "e", runevents.TypeRunStarted, &runevents.RunStarted{}))
		f.Add(about(i, "old", "old", "x", runevents.TypeAgentCompleted, &runevents.AgentCompleted{}))
		require.LessOrEqual(t, len(f.runs), 45)
	}
	list := f.Runs()
	require.GreaterOrEqual(t, len(list), 40)
	require.Contains(t, []string{list[0].ID, list[1].ID}, "old", "it began first and was never silent")
	require.Contains(t, []string{list[0].ID, list[1].ID}, "r499")
}
