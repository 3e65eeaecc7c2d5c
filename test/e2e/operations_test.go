package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/dead"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func (s *running) letters() []dead.Stored {
	var all []dead.Stored
	require.NoError(s.t, dead.Letters(s.t.Context(), s.broker, func(l dead.Stored) error {
		all = append(all, l)
		return nil
	}))
	return all
}

// What cannot be processed becomes a dead letter with its reason and without its secret; it can be sent and
// tried again as long as INPUT has it (EV-11, SW-7).
func TestDeadLetters(t *testing.T) {
	s := start(t, nil)
	secret := secretstest.New(5).Provider("github")
	bad := events.Event{
		ID: "bad-1", Source: "/test/" + secret, Type: sessionevents.TypeTurnRaw, Subject: "s1", Time: time.Now().UTC(),
		Data: &sessionevents.Turn{Session: "s1", TurnID: "t1", Format: "no-such-agent", Native: json.RawMessage(`{"text":"token = ` + secret + `"}`)},
	}
	s.publish([]events.Event{bad})
	require.Eventually(t, func() bool { return len(s.letters()) == 1 }, patience, 20*time.Millisecond)
	letter := s.letters()[0]
	require.Equal(t, "ingest", letter.Stage)
	require.Equal(t, "bad-1", letter.ID)
	require.Contains(t, letter.Reason, "no-such-agent")
	require.False(t, strings.Contains(string(letter.Redacted), secret), "the letter holds the secret")
	require.Contains(t, string(letter.Redacted), "‹secret:")
	require.False(t, strings.Contains(letter.Source+letter.Reason, secret), "the letter's envelope holds the secret")

	same, err := dead.Letter(t.Context(), s.broker, letter.Number)
	require.NoError(t, err)
	require.Equal(t, letter, same)
	_, err = dead.Letter(t.Context(), s.broker, 999)
	require.ErrorIs(t, err, dead.ErrNoLetter)

	require.NoError(t, dead.Retry(t.Context(), s.broker, letter))
	require.Eventually(t, func() bool { return len(s.letters()) == 2 }, patience, 20*time.Millisecond)
	require.Equal(t, "bad-1-retry-1", s.letters()[1].ID)

	input, err := s.broker.JetStream().Stream(t.Context(), "INPUT")
	require.NoError(t, err)
	require.NoError(t, input.Purge(t.Context()))
	require.ErrorContains(t, dead.Retry(t.Context(), s.broker, letter), "INPUT no longer holds")
}

func TestInspect(t *testing.T) {
	s := start(t, nil)
	i, err := s.broker.Inspect(t.Context(), s.nc)
	require.NoError(t, err)
	require.True(t, vitals.AtomicBatches(i.Version), i.Version)
	require.GreaterOrEqual(t, i.MaxPayload, int64(nats.MaxPayload))
	require.Empty(t, i.Differences)
	require.Zero(t, i.DeadLetters)
	require.Less(t, i.ClockAhead.Abs(), time.Minute)
}

func fetch(t *testing.T, url string) (int, string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

// The reporter lists sessions, answers with reports, streams decisions and
// writes a file for each session that closes.
func TestReporter(t *testing.T) {
	var reports string
	s := start(t, func(c *config.Config) { c.HTTP.Address = "127.0.0.1:0"; reports = c.Reports.Directory })
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	base := "http://" + s.HTTP()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v1/events", nil)
	require.NoError(t, err)
	stream, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	defer stream.Body.Close()

	fleet, err := demo.Sessions(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	s.publish(flat(fleet))
	lines := bufio.NewScanner(stream.Body)
	lines.Buffer(nil, 1<<20)
	seen := false
	for !seen && lines.Scan() {
		seen = lines.Text() == "event: interrupt.fired"
	}
	require.True(t, seen, "the stream shows the interrupt")
	cancel()

	s.decided(len(fleet))
	var list []decisions.SessionSummary
	require.Eventually(t, func() bool {
		_, body := fetch(t, base+"/v1/sessions")
		if json.Unmarshal([]byte(body), &list) != nil || len(list) != len(fleet) {
			return false
		}
		for _, summary := range list {
			if !summary.Closed {
				return false
			}
		}
		return true
	}, patience, 50*time.Millisecond)

	status, body := fetch(t, base+"/v1/sessions/payments-webhook/report")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `"schema_version": 1`)
	status, markdown := fetch(t, base+"/v1/sessions/payments-webhook/report?format=md")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, markdown, "## SCAFFOLD-WATCH SESSION REPORT")
	status, page := fetch(t, base+"/v1/sessions/payments-webhook/report?format=html")
	require.Equal(t, http.StatusOK, status)
	require.True(t, strings.HasPrefix(page, "<!DOCTYPE html>"))
	for path, want := range map[string]int{
		"/v1/sessions/nobody/report":                      http.StatusNotFound,
		"/v1/sessions/not%20an%20id/report":               http.StatusNotFound,
		"/v1/sessions/payments-webhook/report?format=pdf": http.StatusBadRequest,
	} {
		status, _ = fetch(t, base+path)
		require.Equal(t, want, status, path)
	}
	require.Eventually(t, func() bool {
		files, err := filepath.Glob(filepath.Join(reports, "*.md"))
		return err == nil && len(files) == len(fleet)
	}, patience, 50*time.Millisecond)
	written, err := os.ReadFile(filepath.Join(reports, "payments-webhook.md"))
	require.NoError(t, err)
	require.Equal(t, markdown, string(written))
	require.Eventually(t, func() bool {
		written, err := os.ReadFile(filepath.Join(reports, "payments-webhook.html"))
		return err == nil && string(written) == page
	}, patience, 50*time.Millisecond)
}
