package deploy

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/gates"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// orchestrates does with the rights of an orchestrator what one does: tell, hear
// the verdict, ask a gate both ways, read the control state; and what it must not.
func orchestrates(t *testing.T, nc *nats.Conn) {
	t.Helper()
	run, err := client.OpenRun(nc, "shop-42", client.RunOptions{Source: "/orchestrators/test", Patience: time.Minute})
	require.NoError(t, err)
	defer func() { require.NoError(t, run.Close()) }()
	v, err := run.Do(t.Context(), runevents.RunStarted{Kind: "build"})
	require.NoError(t, err)
	require.True(t, v.MayGoOn())
	require.NoError(t, run.AwaitRunning(t.Context()))
	_, err = run.Gate(t.Context(), runevents.GateRequested{Gate: runevents.GateLaunch, Wave: 1})
	require.NotErrorIs(t, err, client.ErrNoVerdict)

	for _, subject := range []string{gates.Subject, gates.Subject + ".shop-42"} {
		msg, err := nc.Request(subject, []byte(`{"run":"shop-42","gate":"launch","wave":1}`), time.Minute)
		require.NoError(t, err)
		var answer runevents.GateDecided
		require.NoError(t, json.Unmarshal(msg.Data, &answer))
		require.NotContains(t, answer.Why, "within", "it was answered")
		require.Equal(t, runevents.GateLaunch, answer.Gate)
	}
	_, err = run.Do(t.Context(), runevents.RunResumed{By: "me", Why: "I want to"})
	require.ErrorIs(t, err, nats.ErrPermissionViolation)
}
