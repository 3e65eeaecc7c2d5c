package events_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/gen/contract"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// line is a structured event as a publisher might send it.
func line(typ, subject, data string) string {
	return `{"specversion":"1.0","id":"1","source":"/h","type":"` + typ + `","subject":"` + subject + `","data":` + data + `}`
}

func TestValidateRefuses(t *testing.T) {
	long := strings.Repeat("x", 129)
	for name, c := range map[string]struct {
		line  string
		code  invalid.Code
		field string
	}{
		"unknown type":        {line("turn.rare", "s", `{}`), invalid.UnknownType, "type"},
		"dotted session":      {line("session.closed", "a.b", `{"session":"a.b"}`), invalid.BadID, "subject"},
		"long session":        {line("session.closed", long, `{"session":"`+long+`"}`), invalid.BadID, "subject"},
		"bad run":             {line("turn.raw", "s", `{"session":"s","turn_id":"t","run":"a b"}`), invalid.BadID, "partitionkey"},
		"bad agent":           {line("turn.raw", "s", `{"session":"s","turn_id":"t","agent":"a.b"}`), invalid.BadID, "data.agent.id"},
		"bad agent object":    {line("turn.raw", "s", `{"session":"s","turn_id":"t","agent":{"id":"a.b"}}`), invalid.BadID, "data.agent.id"},
		"bad agent_id":        {line("agent.spawned", "r", `{"actor":{"kind":"infra"},"agent_id":"a>"}`), invalid.BadID, "data.agent_id"},
		"no turn id":          {line("turn.raw", "s", `{"session":"s"}`), invalid.MissingField, "data.turn_id"},
		"empty turn id":       {line("turn.raw", "s", `{"session":"s","turn_id":""}`), invalid.MissingField, "data.turn_id"},
		"block without type":  {line("turn.raw", "s", `{"session":"s","turn_id":"t","blocks":[{"type":"text"},{"text":"x"}]}`), invalid.MissingField, "data.blocks[1].type"},
		"no actor":            {line("plan.approved", "r", `{}`), invalid.MissingField, "data.actor"},
		"unknown actor":       {line("plan.approved", "r", `{"actor":{"kind":"cat"}}`), invalid.BadValue, "data.actor.kind"},
		"no wave":             {line("wave.started", "r", `{"actor":{"kind":"orchestrator"}}`), invalid.MissingField, "data.wave"},
		"bad option":          {line("recovery.selected", "r", `{"actor":{"kind":"human"},"wave":1,"option":4}`), invalid.BadValue, "data.option"},
		"other session":       {line("session.closed", "s", `{"session":"other"}`), invalid.BadValue, "subject"},
		"delivery of nothing": {line("interrupt.delivery", "s", `{"state":"acked"}`), invalid.MissingField, "data.interrupt"},
		"too deep":            {line("turn.raw", "s", `{"session":"s","turn_id":"t","x":`+strings.Repeat("[", 64)+strings.Repeat("]", 64)+`}`), invalid.TooDeep, "data"},
		"too large":           {line("turn.raw", "s", `{"session":"s","turn_id":"t","text":"`+strings.Repeat("x", 4<<20)+`"}`), invalid.TooLarge, "data"},
		"turn_id too long":    {line("turn.raw", "s", `{"session":"s","turn_id":"`+strings.Repeat("x", 257)+`","text":"x"}`), invalid.TooLarge, "data.turn_id"},
		"fork_of too long":    {line("turn.raw", "s", `{"session":"s","turn_id":"t","fork_of":"`+strings.Repeat("ü", 257)+`","text":"x"}`), invalid.TooLarge, "data.fork_of"},
		"id too long":         {strings.Replace(line("session.closed", "s", `{"session":"s"}`), `"id":"1"`, `"id":"`+strings.Repeat("1", 600)+`"`, 1), invalid.TooLarge, "id"},
		"other partition key": {strings.Replace(line("turn.raw", "s", `{"session":"s","turn_id":"t","run":"r"}`), `"id"`, `"partitionkey":"q","id"`, 1), invalid.BadValue, "partitionkey"},
		"no subject":          {strings.Replace(line("session.closed", "s", `{"session":"s"}`), `"subject":"s",`, "", 1), invalid.MissingAttribute, "subject"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := events.UnmarshalStructured([]byte(c.line))
			require.NoError(t, err)
			err = events.Validate(e, events.Limits{})
			var refused *invalid.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.code, refused.Code, err)
			require.Equal(t, c.field, refused.Field, err)
			require.Less(t, len(err.Error()), 400, "an error is one readable line")
		})
	}
}

func TestValidateAccepts(t *testing.T) {
	for name, text := range map[string]string{
		"deep enough":    line("turn.raw", "s", `{"session":"s","turn_id":"t","x":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+`}`),
		"brackets":       line("turn.raw", "s", `{"session":"s","turn_id":"t","text":"\"`+strings.Repeat("[", 200)+`\\"}`),
		"zero wave":      line("wave.started", "r", `{"actor":{"kind":"orchestrator"},"wave":0}`),
		"loose artifact": line("phase.completed", "r", `{"actor":{"kind":"orchestrator"},"phase":"do","artifacts":[7,{"version":"2"},{"kind":4}]}`),
		"long enough":    line("turn.raw", "s", `{"session":"s","turn_id":"`+strings.Repeat("ü", 256)+`"}`),
		"field case":     line("session.closed", "s", `{"Session":"s"}`),
	} {
		e, err := events.UnmarshalStructured([]byte(text))
		require.NoError(t, err, name)
		require.NoError(t, events.Validate(e, events.Limits{}), name)
	}
}

// Validate and the JSON Schema agree on what a required field is.
func TestValidateAgreesWithSchema(t *testing.T) {
	for typ, e := range contract.Examples() {
		d, _ := events.Lookup(typ)
		schema := compile(t, typ)
		full, err := events.EncodeData(e)
		require.NoError(t, err)
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(full, &fields))
		for name := range fields {
			without, err := json.Marshal(dropField(fields, name))
			require.NoError(t, err)
			got := e
			got.Raw = without
			if got.Data, err = events.DecodeData(typ, without); err != nil {
				continue
			}
			refused := events.Validate(got, events.Limits{}) != nil
			require.Equal(t, schema.Validate(parse(t, without)) != nil, refused, "%s without %s (%s)", typ, name, d.Doc)
		}
	}
}

func dropField(fields map[string]json.RawMessage, name string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for k, v := range fields {
		if k != name {
			out[k] = v
		}
	}
	return out
}

func TestArtifacts(t *testing.T) {
	data, err := events.DecodeData(runevents.TypePhaseCompleted, []byte(`{"actor":{"kind":"infra"},"phase":"do","artifacts":[7,{"kind":"wr.x","version":"2","a":1},{"kind":4,"version":3}]}`))
	require.NoError(t, err)
	artifacts := data.(*runevents.PhaseCompleted).Artifacts
	require.Equal(t, []runevents.Artifact{
		{Document: json.RawMessage(`7`)},
		{Kind: "wr.x", Version: 2, Document: json.RawMessage(`{"kind":"wr.x","version":"2","a":1}`)},
		{Version: 3, Document: json.RawMessage(`{"kind":4,"version":3}`)},
	}, artifacts)
	text, err := json.Marshal(runevents.Artifact{Kind: "wr.x", Version: 1})
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"wr.x","version":1}`, string(text))
}

func TestLooseLists(t *testing.T) {
	data, err := events.DecodeData(runevents.TypeCycleCompleted, []byte(`{"actor":{"kind":"infra"},"cycle":1,"checked":"tests","residual":["a","b"]}`))
	require.NoError(t, err)
	require.Equal(t, runevents.TextList{"tests"}, data.(*runevents.CycleCompleted).Checked)
	require.Equal(t, runevents.TextList{"a", "b"}, data.(*runevents.CycleCompleted).Residual)
}

// WorkRail's severities, and any case, are read in the contract's words.
func TestSeveritiesAreReadInTheContractsWords(t *testing.T) {
	for word, want := range map[string]runevents.Severity{
		"CRITICAL": runevents.SeverityCritical, "critical": runevents.SeverityCritical, "major": runevents.SeverityCritical, "Warning": runevents.SeverityWarning,
		"minor": runevents.SeverityWarning, " info ": runevents.SeverityInfo, "nit": runevents.SeverityInfo, "bad": "bad", "": "",
	} {
		var got runevents.Severity
		require.NoError(t, json.Unmarshal([]byte(`"`+word+`"`), &got))
		require.Equal(t, want, got, word)
	}
	var got runevents.Severity
	require.Error(t, json.Unmarshal([]byte(`3`), &got))
}

func TestVerdictsAreReadInAnyCase(t *testing.T) {
	read, err := events.DecodeData(runevents.TypeReviewCompleted, []byte(`{"reviewer":"g","verdict":"APPROVED","findings":[{"severity":"major"}]}`))
	require.NoError(t, err)
	got := read.(*runevents.ReviewCompleted)
	require.Equal(t, "approved", got.Verdict)
	require.Equal(t, runevents.SeverityCritical, got.Findings[0].Severity)
}
