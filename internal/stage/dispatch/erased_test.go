package dispatch

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// AU-40, PL-10: a run that was erased can still be asked whether it was in progress. It
// passes the question on; its state stays that of a group that nobody knows.
func TestAQuestionLeavesNothingInAnErasedRun(t *testing.T) {
	m, err := New(rules.Default())
	require.NoError(t, err)
	state := m.New("first")
	empty, err := m.Encode(m.New("first"))
	require.NoError(t, err)
	ask := `{"run":"third","event":"e3","at":"2026-01-02T15:00:00Z","space":"workspace-x","ask":[{"run":"first","event":"e1"},{"run":"second","event":"e2"}]}`
	at := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	asked := events.Event{
		ID: "t", Source: "/timers", Type: events.TypeTimerExpired, Subject: "third", PartitionKey: "first", Time: at,
		Data: &events.TimerExpired{Name: "pipeline.overlap.x", Due: at, Details: json.RawMessage(ask)},
	}
	out := step.NewEmitter(m.Stage(), step.Identity{}, asked)
	state, err = m.Step(state, step.Input{Event: asked}, out)
	require.NoError(t, err)
	require.Len(t, out.Events(), 1)
	require.Equal(t, "second", out.Events()[0].Data.(*events.TimerSet).Group)
	left, err := m.Encode(state)
	require.NoError(t, err)
	require.JSONEq(t, string(empty), string(left))
}
