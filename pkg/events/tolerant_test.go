package events_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func decoded[T any](t *testing.T, typ events.Type, data string) T {
	t.Helper()
	ev, err := events.UnmarshalStructured([]byte(`{"specversion":"1.0","id":"e","source":"/x","type":"` + string(typ) + `","subject":"r1","data":` + data + `}`))
	require.NoError(t, err)
	require.NoError(t, events.Validate(ev, events.Limits{}), data)
	return ev.Data.(T)
}

// EV-3a: what others write a little differently is read as it is meant.
func TestTolerantReader(t *testing.T) {
	d := decoded[*runevents.AgentCompleted](t, runevents.TypeAgentCompleted, `{"actor":"orchestrator","agentId":"maker-1","outcome":"Succeeded","filesChanged":["a.go"],
		"diff-lines":"12","testsRun":"true","durationMs":"1500","findings":["no test",{"severity":"major","text":"x","inChangeset":"false"}],"made_up":1}`)
	require.Equal(t, runevents.ActorOrchestrator, d.Actor.Kind)
	require.Equal(t, "maker-1", d.AgentID)
	require.Equal(t, runevents.RunOutcomeSuccess, d.Outcome)
	require.Equal(t, []string{"a.go"}, d.FilesChanged)
	require.Equal(t, 12, *d.DiffLines)
	require.True(t, *d.TestsRun)
	require.EqualValues(t, 1500, d.DurationMS)
	require.Equal(t, "no test", d.Findings[0].Text)
	require.Equal(t, runevents.SeverityCritical, d.Findings[1].Severity)
	require.False(t, *d.Findings[1].InChangeset)

	scout := decoded[*runevents.ScoutCompleted](t, runevents.TypeScoutCompleted, `{"actor":{"kind":"scout"},"verdict":"suitable_with_caveats","waves":"2"}`)
	require.Equal(t, "SUITABLE WITH CAVEATS", scout.Verdict)
	require.Equal(t, 2, scout.Waves)
	checkpoint := decoded[*runevents.IntentCheckpoint](t, runevents.TypeIntentCheckpoint, `{"actor":{"kind":"wave_agent"},"task_type":"targetedFix","ambiguity-level":"CLEAR"}`)
	require.Equal(t, "targeted_fix", checkpoint.TaskType)
	require.Equal(t, "clear", checkpoint.AmbiguityLevel)
}

// A word that nobody knows is kept and reported, never refused.
func TestUnknownWordsAreKept(t *testing.T) {
	d := decoded[*runevents.AgentCompleted](t, runevents.TypeAgentCompleted, `{"actor":{"kind":"orchestrator"},"agent_id":"a","outcome":"so-so","findings":[{"severity":"spicy","text":"x"}]}`)
	require.Equal(t, "so-so", d.Outcome)
	require.Equal(t, []events.UnknownValue{
		{Field: "data.outcome", Value: "so-so", Known: []string{"success", "failure", "timeout"}},
		{Field: "data.findings.severity", Value: "spicy", Known: []string{"CRITICAL", "WARNING", "INFO"}},
	}, events.UnknownValues(d))
	run := decoded[*runevents.RunStarted](t, runevents.TypeRunStarted, `{"actor":{"kind":"orchestrator"},"kind":"nightly","workflow":"wr.coding-task"}`)
	require.Equal(t, "nightly", run.Kind)
}

// What is closed stays closed: who may say what, and gates.
func TestClosedWordsAreRefused(t *testing.T) {
	for typ, data := range map[events.Type]string{
		runevents.TypeRunStarted:    `{"actor":{"kind":"emperor"}}`,
		runevents.TypeGateRequested: `{"actor":{"kind":"orchestrator"},"gate":"lunch"}`,
	} {
		ev, err := events.UnmarshalStructured([]byte(`{"specversion":"1.0","id":"e","source":"/x","type":"` + string(typ) + `","subject":"r1","data":` + data + `}`))
		require.NoError(t, err)
		require.Error(t, events.Validate(ev, events.Limits{}), data)
	}
}

// What is written as the contract says passes byte for byte.
func TestTolerantReaderChangesNothingGood(t *testing.T) {
	const line = `{"specversion":"1.0","id":"e","source":"/x","type":"task.completed","subject":"r1","datacontenttype":"application/json","data":{"actor":{"kind":"orchestrator"},"task":"t","outcome":"success","extra":{"camelCase":"1"}}}`
	ev, err := events.UnmarshalStructured([]byte(line))
	require.NoError(t, err)
	out, err := events.MarshalStructured(ev)
	require.NoError(t, err)
	require.Contains(t, string(out), `"data":{"actor":{"kind":"orchestrator"},"task":"t","outcome":"success","extra":{"camelCase":"1"}}`)
}
