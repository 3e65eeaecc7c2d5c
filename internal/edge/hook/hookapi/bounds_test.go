package hookapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

// serve answers hooks on a real socket.
func serve(t *testing.T, o Options, token string) string {
	t.Helper()
	o.Dialects, o.Mailbox, o.Log, o.Metrics = all.Hooks(), mailbox.New(), slog.New(slog.DiscardHandler), obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil)
	h := New(o)
	h.Attach(&recorder{})
	s, err := httpapi.Start(httpapi.Options{Address: "127.0.0.1:0", Registry: prometheus.NewRegistry(), Token: token, Routes: map[string]http.Handler{Pattern: h}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return "http://" + s.Address() + "/v1/hooks/"
}

func post(t *testing.T, url, token, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(text)
}

// Only who can read an agent's token speaks for it; a name that is a path reads no
// other file.
func TestHooksNeedTheTokenOfTheirAgent(t *testing.T) {
	folder := t.TempDir()
	codex, err := hooktoken.Make(folder, "codex")
	require.NoError(t, err)
	claude, err := hooktoken.Make(folder, "claude-code")
	require.NoError(t, err)
	url := serve(t, Options{Tokens: folder}, "")
	const call = `{"session_id":"s1","hook_event_name":"Stop"}`
	for _, c := range []struct {
		path, token string
		want        int
	}{
		{"codex", codex, 200},
		{"claude-code", claude, 200},
		{"codex", claude, 401},
		{"codex", "", 401},
		{"gemini", codex, 401},
		{"..%2fhooks%2fcodex", codex, 401},
		{"nobody", codex, 401},
	} {
		response, body := post(t, url+c.path, c.token, call) //nolint:bodyclose // post reads and closes it
		require.Equal(t, c.want, response.StatusCode, c.path)
		require.Equal(t, "{}", body, "the agent goes on")
		if c.want == 401 {
			require.Contains(t, response.Header.Get(ErrorHeader), "scaffoldwatch install")
		}
	}
	both := serve(t, Options{Tokens: folder}, "letmein")
	response, _ := post(t, both+"codex", "letmein", call) //nolint:bodyclose // post reads and closes it
	require.Equal(t, 200, response.StatusCode)
	response, _ = post(t, both+"codex", codex, call) //nolint:bodyclose // post reads and closes it
	require.Equal(t, 200, response.StatusCode)
	response, _ = post(t, both+"codex", "", call) //nolint:bodyclose // post reads and closes it
	require.Equal(t, 401, response.StatusCode)
}

// Sixty bodies of 15 MB at once are read one after the other.
func TestManyLargeBodiesTakeLittleMemory(t *testing.T) {
	url := serve(t, Options{}, "")
	large, err := json.Marshal(map[string]any{"session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_response": strings.Repeat("x", 15<<20)})
	require.NoError(t, err)
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var peak atomic.Uint64
	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			peak.Store(max(peak.Load(), now.HeapInuse))
			select {
			case <-ended:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	began := time.Now()
	count := 60
	var done sync.WaitGroup
	var answered atomic.Int32
	for range count {
		done.Go(func() {
			request, err := http.NewRequest(http.MethodPost, url+"codex", bytes.NewReader(large))
			if err != nil {
				return
			}
			request.Header.Set("Content-Type", "application/json")
			if response, err := http.DefaultClient.Do(request); err == nil {
				_ = response.Body.Close()
				if response.StatusCode == http.StatusOK {
					answered.Add(1)
				}
			}
		})
	}
	done.Wait()
	close(ended)
	<-watched
	grown := int64(peak.Load()) - int64(before.HeapInuse)
	t.Logf("%d of 60 calls answered, the heap grew by %d MB after %v", answered.Load(), grown>>20, time.Since(began))
	require.Less(t, grown, int64(300<<20), fmt.Sprint(answered.Load()))
	require.Positive(t, answered.Load())
}
