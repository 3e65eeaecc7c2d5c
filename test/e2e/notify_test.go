package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// PL-50: three agents of a run fail; the person responsible is notified by a webhook with the command to
// answer with, once, and DECISIONS records it.
func TestPL50BreakReachesAPerson(t *testing.T) {
	told := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var message struct{ Text string }
		_ = json.Unmarshal(body, &message)
		told <- message.Text
	}))
	t.Cleanup(server.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	file := filepath.Join(t.TempDir(), "notify.yaml")
	require.NoError(t, os.WriteFile(file, []byte("channels:\n  - {id: ops, kind: slack, url: $E2E_OPS}\noperator: {channels: [ops], group_wait: 100ms, group_interval: 1s}\n"), 0o600))
	t.Setenv("E2E_OPS", server.URL)
	s := start(t, func(c *config.Config) { c.Notify.File = file })
	orchestrator := runevents.Actor{Kind: "orchestrator", ID: "loop"}
	list := []events.Event{{Type: runevents.TypeRunStarted, Data: &runevents.RunStarted{Actor: orchestrator, Kind: "build", Goal: "Retry failed charges"}}}
	for range 3 {
		list = append(list, events.Event{Type: runevents.TypeAgentCompleted, Data: &runevents.AgentCompleted{Actor: orchestrator, AgentID: "maker", Outcome: "failure"}})
	}
	now := time.Now()
	for i := range list {
		list[i].ID, list[i].Source, list[i].Subject = string(rune('a'+i)), "/test", "nightly"
		list[i].Time = now.Add(time.Duration(i) * time.Millisecond)
	}
	s.publish(list)
	select {
	case text := <-told:
		require.Contains(t, text, "*nightly stopped: agent failures (hard)*")
		require.Contains(t, text, `goal: "Retry failed charges"`)
		require.Contains(t, text, "to go on: scaffoldwatch resume nightly --why")
	case <-time.After(patience):
		t.Fatalf("nobody was told; log:\n%s", s.log.Bytes())
	}
	var sent *runevents.NotificationSent
	require.Eventually(t, func() bool {
		err := read.All(t.Context(), s.broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions}, func(a read.Accepted) error {
			if d, is := a.Input.Event.Data.(*runevents.NotificationSent); is {
				sent = d
				require.Equal(t, "nightly", a.Input.Event.Subject)
			}
			return nil
		})
		return err == nil && sent != nil
	}, patience, 20*time.Millisecond)
	require.Equal(t, []string{"ops", "delivered", "operator"}, []string{sent.Channel, string(sent.Outcome), string(sent.Layer)})
	s.end()
	require.Empty(t, told, "it was told once")
	require.FileExists(t, filepath.Join(s.data, "notify.json"))
}
