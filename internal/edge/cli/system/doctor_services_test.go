package system

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
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
		{`{"disk":"warning: disk_low: 1 MiB","streams":"ok"}`, "is ready", 0},
		{`no JSON`, "", 0},
	} {
		answer = c.answer
		t.Setenv("SCAFFOLDWATCH_HTTP_ADDRESS", strings.TrimPrefix(server.URL, "http://"))
		t.Setenv("SCAFFOLDWATCH_NATS_URL", "nats://127.0.0.1:1")
		var out bytes.Buffer
		check := &checkup{Call: &cli.Call{Context: t.Context(), Stdout: &out}}
		(&Doctor{}).services(check)
		require.Equal(t, c.warns, check.attention, out.String())
		require.Contains(t, out.String(), c.want)
		require.NotContains(t, out.String(), "streams")
	}
}
