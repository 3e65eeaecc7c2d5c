package system

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
)

// Doctor says what a service of this machine says of itself, which no other request shows.
func TestDoctorAsksTheServices(t *testing.T) {
	answer := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/readyz", r.URL.Path)
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	for _, c := range []struct {
		answer, want string
		warns        int
	}{
		{`{"disk":"disk_full: no space left on device","streams":"ok"}`, "disk: disk_full: no space left on device", 1},
		{`{"disk":"warning: disk_low: 1 MiB","streams":"ok"}`, "disk_low: 1 MiB", 1},
		{`{"disk":"ok","settings":"warning: clock_off: 3 s"}`, "is ready", 0},
		{`no JSON`, "", 0},
	} {
		answer = c.answer
		t.Setenv("SCAFFOLDWATCH_HTTP_ADDRESS", strings.TrimPrefix(server.URL, "http://"))
		t.Setenv("SCAFFOLDWATCH_NATS_URL", "nats://127.0.0.1:1")
		var out bytes.Buffer
		check := &checkup{Call: &cli.Call{Context: t.Context(), Stdout: &out}}
		(&Doctor{}).services(check, nil)
		require.Equal(t, c.warns, check.attention, out.String())
		require.Contains(t, out.String(), c.want)
		require.NotContains(t, out.String(), "streams")
	}
}

// Where a process with an embedded broker has no HTTP interface, doctor asks it over NATS.
func TestDoctorAsksWithoutAnInterface(t *testing.T) {
	t.Setenv("SCAFFOLDWATCH_NATS_URL", "nats://127.0.0.1:1")
	conn := natstest.Run(t).Conn
	asked := func() (string, int) {
		lines, attention := checked(t, func(c *checkup) { (&Doctor{}).services(c, conn) })
		return strings.Join(lines, "\n"), attention
	}
	text, attention := asked()
	require.Zero(t, attention)
	require.Empty(t, text, "nobody answers")
	state := map[string]string{"disk": "ok", "streams": "ok"}
	require.NoError(t, vitals.Answer(conn, func() map[string]string { return state }))
	text, attention = asked()
	require.Zero(t, attention)
	require.Regexp(t, `^ok +services +the process of the broker is ready$`, text)
	state = map[string]string{"disk": "warning: disk_low: 90 MiB of 2000 MiB are free on the disk of the streams"}
	text, attention = asked()
	require.Equal(t, 1, attention)
	require.Regexp(t, `(?m)^WARN +disk +disk_low: 90 MiB of 2000 MiB are free`, text)
	state = map[string]string{"disk": "disk_full: no space left on device"}
	text, attention = asked()
	require.Equal(t, 1, attention)
	require.Regexp(t, `(?s)^WARN +services +the process of the broker is not ready:\n +disk: disk_full: no space`, text)
}
