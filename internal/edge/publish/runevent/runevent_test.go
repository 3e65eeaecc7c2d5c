package runevent

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func build(t *testing.T, name, data string, assignments ...string) (any, error) {
	t.Helper()
	d, err := Lookup(name)
	require.NoError(t, err)
	return Build(d, []byte(data), assignments, runevents.Actor{})
}

func TestBuildTypesTheFields(t *testing.T) {
	for _, c := range []struct {
		name, data  string
		assignments []string
		want        string
	}{
		{
			"agent.completed", "",
			[]string{"agent_id=maker", "outcome=failure", "duration_ms=1200", "tests_run=false", "files_changed=a.go,b.go", "output=a=b, c"},
			`{"actor":{"kind":"orchestrator"},"agent_id":"maker","outcome":"failure","output":"a=b, c","files_changed":["a.go","b.go"],"tests_run":false,"duration_ms":1200}`,
		},
		{
			"agent.completed", `{"agent_id":"maker","outcome":"failure","findings":[{"id":"f-1"}]}`,
			[]string{"outcome=success"},
			`{"actor":{"kind":"orchestrator"},"agent_id":"maker","outcome":"success","findings":[{"id":"f-1"}]}`,
		},
		{
			"agent.completed", "",
			[]string{"agent_id=m", "outcome=success", `findings=[{"id":"f-1","line":3}]`, "addresses=a", "addresses=b"},
			`{"actor":{"kind":"orchestrator"},"agent_id":"m","outcome":"success","findings":[{"id":"f-1","line":3}],"addresses":["a","b"]}`,
		},
		{
			"run.started", "",
			[]string{"kind=build", "budget.limit=2.5", "budget.unit=usd", "trigger.notify=ops", "trigger.skip_intent=true"},
			`{"actor":{"kind":"orchestrator"},"kind":"build","budget":{"limit":2.5,"unit":"usd"},"trigger":{"skip_intent":true,"notify":["ops"]}}`,
		},
		{"run.resumed", "", []string{"by=ann", "why=fixed"}, `{"actor":{"kind":"human"},"by":"ann","why":"fixed"}`},
		{"git.commit", `{"actor":{"kind":"wave_agent","id":"A"}}`, []string{"branch=main", `files=["a,b.go"]`}, `{"actor":{"kind":"wave_agent","id":"A"},"branch":"main","files":["a,b.go"]}`},
		{
			"intent.checkpoint", "",
			[]string{"interpretation=x", "interpretationClusters=3,1", `confidenceBreakdown={"a":0.5}`, "questionSpecificity=0.4"},
			`{"actor":{"kind":"orchestrator"},"interpretation":"x","confidenceBreakdown":{"a":0.5},"interpretationClusters":[3,1],"questionSpecificity":0.4}`,
		},
		{"wave.merge.requested", "", []string{"wave=1", "uncommitted_on_main="}, `{"actor":{"kind":"orchestrator"},"wave":1}`},
	} {
		data, err := build(t, c.name, c.data, c.assignments...)
		require.NoError(t, err, "%s %v", c.name, c.assignments)
		text, err := json.Marshal(data)
		require.NoError(t, err)
		require.JSONEq(t, c.want, string(text))
	}
}

func TestBuildSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name, data string
		assignment string
		want       string
	}{
		{"agent.completed", "", "agentid=x", `unknown field "agentid"; did you mean agent_id?`},
		{"agent.completed", "", "zzz=x", "--list shows all"},
		{"agent.completed", "", "duration_ms=1.5", "must be an integer"},
		{"agent.completed", "", "tests_run=perhaps", "must be true or false"},
		{"agent.completed", "", "findings=three", "must be JSON"},
		{"agent.completed", "", "outcome", "is not KEY=VALUE"},
		{"agent.completed", "", "agent_id=m", "data.outcome: is missing"},
		{"agent.completed", "", "actor.kind=human", "--actor"},
		{"agent.completed", "[]", "agent_id=m", "is a JSON object"},
		{"agent.completed", "{", "agent_id=m", "--data: must be JSON: unexpected end of JSON input"},
		{"agent.completed", `{"agent_id":"m"} {}`, "outcome=success", "--data: must be JSON: invalid character '{' after top-level value"},
		{"agent.completed", `{"agent_id":"m","outcome":"success","zz":1,"finding":[]}`, "task=t", "did you mean findings?"},
		{"agent.completed", `{"agent_id":"m","outcome":"success","finding":[]}`, "task=t", "did you mean findings?"},
		{"agent.completed", `{"agent_id":"no/id","outcome":"success"}`, "task=t", "cannot be part of a subject"},
		{"run.started", "", "budget=3", "assign budget.limit=…"},
		{"run.started", "", "budget.limit=much", "must be a number"},
		{"recovery.selected", "", "option=4", "use one of 1, 2, 3"},
		{"intent.checkpoint", "", "interpretationClusters=a", "is not an integer"},
	} {
		_, err := build(t, c.name, c.data, c.assignment)
		require.ErrorContains(t, err, c.want, c.assignment)
	}
	_, err := build(t, "task.completed", "", "task=a", "task=b")
	require.ErrorContains(t, err, "assigned twice")
}

func TestLookup(t *testing.T) {
	_, err := Lookup("agent.complete")
	require.ErrorContains(t, err, "did you mean agent.completed?")
	_, err = Lookup("turn.raw")
	require.ErrorContains(t, err, "is not a run event")
	require.Greater(t, len(Types()), 40)
}

func TestParseActor(t *testing.T) {
	actor, err := ParseActor("wave_agent:A")
	require.NoError(t, err)
	require.Equal(t, runevents.Actor{Kind: runevents.ActorWaveAgent, ID: "A"}, actor)
	_, err = ParseActor("robot")
	require.ErrorContains(t, err, "is not an actor")
}

// Every type's schema can be read, and every field has a kind that its Go type takes.
func TestFieldsOfEveryType(t *testing.T) {
	sample := map[Kind]string{KindText: "x", KindInteger: "1", KindNumber: "0.5", KindBoolean: "true", KindTexts: "a,b", KindNumbers: "1,2", KindJSON: "[]"}
	for _, name := range Types() {
		fields, err := Fields(events.Type(name))
		require.NoError(t, err)
		for _, f := range fields {
			value := sample[f.Kind]
			if len(f.Allowed) > 0 {
				value = f.Allowed[0]
			}
			object := map[string]any{}
			require.NoError(t, assign(object, fields, f.Name+"="+value, map[string]bool{}), "%s %s", name, f.Name)
			text, err := json.Marshal(object)
			require.NoError(t, err)
			if f.Kind == KindJSON {
				continue // an object, a list of objects, or anything
			}
			_, err = events.DecodeData(events.Type(name), text)
			require.NoError(t, err, "%s %s", name, text)
		}
	}
}
