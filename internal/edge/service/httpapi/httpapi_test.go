package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

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

// A warning leaves a service ready, and a caller can leave a check out.
func TestWarningsAndExcludedChecksLeaveAServiceReady(t *testing.T) {
	s := start(t, Options{})
	s.Report("clock", warning{errors.New("an hour off")})
	status, body := get(t, s, "/readyz", "")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"clock":"warning: an hour off"}`, body)
	s.Report("replicas", errors.New("one is lost"))
	status, _ = get(t, s, "/readyz", "")
	require.Equal(t, http.StatusServiceUnavailable, status)
	status, body = get(t, s, "/readyz?exclude=replicas&exclude=other", "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "one is lost")
}

type warning struct{ error }

func (warning) Degraded() bool { return true }

// Profiles are behind the token, and nowhere without one.
func TestProfilesNeedTheToken(t *testing.T) {
	open := start(t, Options{})
	status, _ := get(t, open, "/debug/pprof/heap", "")
	require.Equal(t, http.StatusNotFound, status)
	s := start(t, Options{Token: "letmein"})
	status, _ = get(t, s, "/debug/pprof/heap", "")
	require.Equal(t, http.StatusUnauthorized, status)
	status, body := get(t, s, "/debug/pprof/heap?debug=1", "letmein")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "heap profile")
}

// Open event streams hold up no shutdown: a page that somebody looks at has one.
func TestCloseEndsEventStreams(t *testing.T) {
	ended := make(chan struct{})
	s, err := Start(Options{Address: "127.0.0.1:0", Registry: prometheus.NewRegistry(), Routes: map[string]http.Handler{
		"GET /events": http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-q.Context().Done()
			close(ended)
		}),
	}})
	require.NoError(t, err)
	answer, err := http.Get("http://" + s.Address() + "/events") //nolint:noctx // ends with the server
	require.NoError(t, err)
	defer answer.Body.Close()
	closed := make(chan error, 1)
	go func() { closed <- s.Close(context.Background()) }() // has no limit of its own
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		require.Fail(t, "the server waits for the stream")
	}
	<-ended
	_, err = io.ReadAll(answer.Body)
	require.NoError(t, err, "the stream ended as a stream does")
}
