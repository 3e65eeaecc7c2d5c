//go:build unix

package system

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
)

// A frozen server is named as the reason within seconds, and left within 20 s; what an agent's hook
// called meanwhile is recorded when a server answers again.
func TestAFrozenServerIsNamedAndLosesNoHook(t *testing.T) {
	server := natstest.RunProcess(t)
	services := runServices(t, server.URL, 1, "ingest")
	services.await(t, "/readyz", http.StatusOK)
	server.Freeze()
	began := time.Now()
	services.await(t, "/readyz", http.StatusServiceUnavailable, "server_silent: scaffoldwatch (nats://")
	_, body := services.get(t, "ingest", "/readyz")
	require.NotContains(t, body, "no_leader")
	response, err := http.Post("http://"+services["ingest"]+"/v1/hooks/claude-code", "application/json",
		//nolint:noctx // of a test
		strings.NewReader(`{"session_id":"frozen-1","cwd":"/nowhere","hook_event_name":"UserPromptSubmit",`+
			`"prompt":"Go on."}`))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	services.await(t, "/readyz", http.StatusServiceUnavailable, "connection to NATS lost")
	require.Less(t, time.Since(began), 20*time.Second)
	server.Thaw()
	services.await(t, "/readyz", http.StatusOK)

	nc, err := nats.Connect(server.URL)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		input, err := js.Stream(t.Context(), "INPUT")
		require.NoError(t, err)
		info, err := input.Info(t.Context(), jetstream.WithSubjectFilter("hook.received.>"))
		require.NoError(t, err)
		return len(info.State.Subjects) == 1
	}, 30*time.Second, 100*time.Millisecond, "the hook is not recorded")
}
