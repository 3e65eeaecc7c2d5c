package step_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// What a stage decides is what a reader reads, to the byte, also where only its
// data names the run (EV-2, EV-4).
func TestEmittedIsWhatIsRead(t *testing.T) {
	cause := events.Event{
		ID: "1", Source: "/test", Type: sessionevents.TypeSessionClosed, Subject: "s", PartitionKey: "s",
		Time: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), Data: &sessionevents.SessionClosed{Session: "s", Reason: "exit"},
	}
	out := step.NewEmitter("dispatcher", step.Identity{RulesVersion: "1", ConfigHash: "h"}, cause)
	out.Emit(runevents.TypeControlChanged, "s", &runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeSession, Run: "s", Ended: true})
	emitted := out.Events()[0]
	require.Equal(t, "s", emitted.Correlation)
	want, err := events.MarshalStructured(emitted)
	require.NoError(t, err)

	header, data, err := events.EncodeBinary(emitted)
	require.NoError(t, err)
	read, err := events.DecodeMessage(header, data)
	require.NoError(t, err)
	got, err := events.MarshalStructured(read)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}
