package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, o Options) *Server {
	t.Helper()
	o.Address, o.Registry = "127.0.0.1:0", prometheus.NewRegistry()
	s, err := Start(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		require.NoError(t, s.Close(context.Background()))
	})
	return s
}

func get(t *testing.T, s *Server, path, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address()+path, nil)
	require.NoError(t, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

func TestReadinessNamesWhatIsWrong(t *testing.T) {
	s := start(t, Options{})
	s.Report("nats", errors.New("no servers available"))
	s.Report("partitions", nil)
	status, body := get(t, s, "/readyz", "")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.JSONEq(t, `{"nats":"no servers available","partitions":"ok"}`, body)
	s.Report("nats", nil)
	status, _ = get(t, s, "/readyz", "")
	require.Equal(t, http.StatusOK, status)
	status, _ = get(t, s, "/livez", "")
	require.Equal(t, http.StatusOK, status)
}

func TestTokenGuardsMetricsAndRoutes(t *testing.T) {
	s := start(t, Options{Token: "letmein", Routes: map[string]http.Handler{
		"GET /v1/x": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") }),
	}})
	for _, path := range []string{"/metrics", "/v1/x"} {
		status, body := get(t, s, path, "wrong")
		require.Equal(t, http.StatusUnauthorized, status)
		require.Contains(t, body, "bearer token")
		status, _ = get(t, s, path, "letmein")
		require.Equal(t, http.StatusOK, status)
	}
	status, _ := get(t, s, "/livez", "")
	require.Equal(t, http.StatusOK, status, "probes need no token")
}

func TestAddressInUseSaysWhatToDo(t *testing.T) {
	s := start(t, Options{})
	_, err := Start(Options{Address: s.Address(), Registry: prometheus.NewRegistry()})
	require.ErrorContains(t, err, "another http.address")
}
