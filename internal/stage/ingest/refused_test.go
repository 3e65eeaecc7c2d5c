package ingest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// refuse returns what the machine reports about a refused event.
func refuse(t *testing.T, ev events.Event) []events.Event {
	t.Helper()
	m := newBench(t).machine
	state, err := m.Step(m.New(ev.Group()), step.Input{Event: ev}, step.NewEmitter("ingest", step.Identity{}, ev))
	require.Error(t, err)
	require.NotNil(t, state)
	out := step.NewEmitter("ingest", step.Identity{}, ev)
	m.Options().Poisoned(step.Input{Event: ev}, "step fails: "+err.Error(), m.Options().Redaction.Text, out)
	return out.Events()
}

// DP-33: a turn without an id is named, with its reason, and shows no secret.
func TestRefusedTurnIsReported(t *testing.T) {
	ev := events.Event{ID: "t-hush", Source: "/x", Type: sessionevents.TypeTurnRaw, Subject: "s1", PartitionKey: "r1", Data: &sessionevents.Turn{Session: "s1", Text: "the key is hush"}}
	out := refuse(t, ev)
	require.Len(t, out, 1)
	require.Equal(t, events.Type(sessionevents.TypeInputRefused), out[0].Type)
	require.Equal(t, "s1", out[0].Subject)
	require.Equal(t, "r1", out[0].Group())
	require.Equal(t, &sessionevents.InputRefused{
		Session: "s1", Run: "r1", Event: "t-‹secret›", EventType: "turn.raw", EventSource: "/x", Code: "missing_field",
		Reason: "data.turn_id: is empty (see the JSON Schema of the type)",
	}, out[0].Data)
	require.True(t, out[0].Data.(*sessionevents.InputRefused).Turn())
}

func TestRefusedRunEventIsReported(t *testing.T) {
	ev := events.Event{ID: "a", Source: "/x", Type: runevents.TypeAgentCompleted, Subject: "r1", Data: &runevents.AgentCompleted{Outcome: "failure"}}
	refused := refuse(t, ev)[0].Data.(*sessionevents.InputRefused)
	require.Equal(t, "r1", refused.Run)
	require.True(t, refused.RunEvent())
	require.False(t, refused.Turn())
}

// Without a subject that is an id nothing can be named: the dead letter remains.
func TestRefusedWithoutSubjectNamesNobody(t *testing.T) {
	require.Empty(t, refuse(t, events.Event{ID: "a", Source: "/x", Type: sessionevents.TypeTurnRaw, Subject: "not an id", Data: &sessionevents.Turn{}}))
}

func TestRefusedTextsAreBounded(t *testing.T) {
	ev := events.Event{ID: strings.Repeat("é", 600), Source: "/x", Type: "no.such." + events.Type(strings.Repeat("ü", 500)), Subject: "s1"}
	refused := refuse(t, ev)[0].Data.(*sessionevents.InputRefused)
	for _, text := range []string{refused.Event, refused.EventType} {
		require.LessOrEqual(t, len(text), maxRefusedName+len("…"))
		require.True(t, strings.HasSuffix(text, "…"))
	}
	require.Equal(t, "too_large", refused.Code)
}
