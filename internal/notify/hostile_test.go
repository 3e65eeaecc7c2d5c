package notify_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// one makes the only channel of settings ready.
func one(t *testing.T, settings string, variables map[string]string) *notify.Post {
	t.Helper()
	posts, err := parse(t, "channels:\n  - "+settings+"\n").Posts(environ(variables), nil)
	require.NoError(t, err)
	require.Len(t, posts, 1)
	return posts[0]
}

// A server's odd answers: only the status counts, and nothing of them is quoted.
func TestPL50OddAnswers(t *testing.T) {
	secret := "/services/T000/verysecrettoken"
	cases := []struct {
		name    string
		answer  http.HandlerFunc
		problem string // "" for taken
		wait    bool
	}{
		{"closes in the middle of its body", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("ok"))
		}, "", false},
		{"answers at great length", func(w http.ResponseWriter, _ *http.Request) {
			for range 64 {
				if _, err := w.Write(bytes.Repeat([]byte("x"), 64<<10)); err != nil {
					return
				}
			}
		}, "", false},
		{"quotes the address in its refusal", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.URL.String(), http.StatusForbidden)
		}, "answered with 403 Forbidden", false},
		{"closes without an answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF", false},
		{"is busy until a date", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", time.Now().Add(2*time.Minute).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusServiceUnavailable)
		}, "answered with 503 Service Unavailable", true},
		{"is busy until yesterday", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", time.Now().Add(-24*time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusTooManyRequests)
		}, "answered with 429 Too Many Requests", false},
		{"has no such status", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(599) }, "answered with 599", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(c.answer)
			defer s.Close()
			err := one(t, "{id: c, kind: slack, url: $URL}", map[string]string{"URL": s.URL + secret}).Send(t.Context(), &message)
			if c.problem == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.problem)
			require.NotContains(t, err.Error(), "verysecrettoken")
			var refused *notify.Refused
			if c.wait {
				require.ErrorAs(t, err, &refused)
				require.InDelta(t, 120, refused.Wait.Seconds(), 3)
			}
		})
	}
}

// No error tells where a channel leads: some hosts are secrets by themselves.
func TestPL50NoAddressInErrors(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	closed := newServer(t)
	closed.Close()
	for address, want := range map[string]string{
		"https://secret-abc.invalid/verysecretpath":           "no such host",
		secure.URL + "/verysecretpath":                        "certificate",
		closed.URL + "/verysecretpath":                        "connection refused",
		strings.Replace(secure.URL, "https:", "http:", 1):     "answered with 400",
		strings.Replace(closed.URL, "127.0.0.1", "[::1]", 1):  "",
		"https://user:verysecretpath@secret-abc.invalid:99/x": "",
	} {
		err := one(t, "{id: c, kind: webhook, url: $URL, secret: $HOOK}", map[string]string{"URL": address, "HOOK": hook}).Send(t.Context(), &message)
		require.ErrorContains(t, err, want)
		for _, part := range []string{"secret-abc", "verysecretpath", "127.0.0.1", "::1", "user:"} {
			require.NotContains(t, err.Error(), part, address)
		}
	}
}

// While a secret is changed a webhook is signed with both, as Standard Webhooks
// say: who knows either can verify it.
func TestPL50SecretRotation(t *testing.T) {
	s := newServer(t)
	previous := "whsec_" + strings.Repeat("QUJD", 8)
	post := one(t, "{id: c, kind: webhook, url: $URL, secret: $HOOK, previous_secret: $OLD}", map[string]string{"URL": s.URL, "HOOK": hook, "OLD": previous})
	require.NoError(t, post.Send(t.Context(), &message))
	got := s.got()[0]
	require.Len(t, strings.Fields(got.header.Get("webhook-signature")), 2)
	for _, secret := range []string{hook, previous} {
		verifier, err := standardwebhooks.NewWebhook(secret)
		require.NoError(t, err)
		require.NoError(t, verifier.Verify(got.body, got.header))
	}
	stranger, err := standardwebhooks.NewWebhook("whsec_" + strings.Repeat("QUJE", 8))
	require.NoError(t, err)
	require.Error(t, stranger.Verify(got.body, got.header))
	_, err = parse(t, "channels:\n  - {id: c, kind: webhook, url: $URL, secret: $HOOK, previous_secret: $OLD}\n").Posts(environ(map[string]string{"URL": s.URL, "HOOK": hook, "OLD": "short"}), nil)
	require.ErrorContains(t, err, "channel c: its secret must be whsec_")
}

// A pager is told to close the incident it was told to open, by the same key.
func TestPL50PagerDutyResolves(t *testing.T) {
	s := newServer(t)
	s.answer = func(w http.ResponseWriter, count int) {
		if count == 1 {
			w.WriteHeader(http.StatusInternalServerError) // and then takes it
			return
		}
		w.WriteHeader(http.StatusAccepted)
	}
	file := parse(t, "channels:\n  - {id: pager, kind: pagerduty, token: $KEY, server: '"+s.URL+"'}\noperator: {channels: [pager], group_wait: 0s}\nretry: {first: 1ms, longest: 2ms, give_up: 1h, attempts: 9}\n")
	service, err := newService(file, words(t), "", map[string]string{"KEY": "routing-" + "key"})
	require.NoError(t, err)
	now := time.Now().Add(time.Second)
	long := strings.Repeat("r", 300)
	list := []events.Event{
		{ID: "e1", Type: runevents.TypeWiggumBreak, Subject: long, Time: now, Data: &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: "agent_failures", Reason: "3 agents failed in a row.", Run: long}},
		{ID: "e2", Type: runevents.TypeControlChanged, Subject: long, Time: now, Data: &runevents.ControlChanged{State: runevents.ControlRunning}},
	}
	for i, e := range list {
		records := make([]notify.Record, i+1) // what was read before is skipped
		records[i] = notify.Record{Sequence: uint64(i + 1), Anchor: uint64(i + 1), Event: e}
		for j := range i {
			records[j] = notify.Record{Sequence: uint64(j + 1), Anchor: uint64(j + 1), Event: list[j]}
		}
		run(t, service, records, func(context.Context, events.Event) error { return nil }, func() bool { return len(s.got()) == i+2 })
	}
	posts := s.got()
	trigger, again, resolve := posts[0].data, posts[1].data, posts[2].data
	require.Equal(t, trigger, again, "a try again is the same")
	require.Equal(t, []any{"trigger", "resolve"}, []any{trigger["event_action"], resolve["event_action"]})
	require.Equal(t, trigger["dedup_key"], resolve["dedup_key"])
	require.LessOrEqual(t, len(fmt.Sprint(trigger["dedup_key"])), 255)
	require.Equal(t, "routing-"+"key", resolve["routing_key"])
	require.NotContains(t, resolve, "payload")
}

// Two reporters with one outbox would both tell everything: the second is refused
// until the first ends.
func TestPL50OneReporterAnOutbox(t *testing.T) {
	file := parse(t, "channels:\n  - {id: log, kind: console}\noperator: {channels: [log], group_wait: 0s}\n")
	path := t.TempDir() + "/notify.json"
	first, err := newService(file, words(t), path, nil)
	require.NoError(t, err)
	_, err = newService(file, words(t), path, nil)
	require.ErrorIs(t, err, notify.ErrInUse)
	require.ErrorContains(t, err, path)
	require.NoError(t, first.Close())
	second, err := newService(file, words(t), path, nil)
	require.NoError(t, err)
	require.NoError(t, second.Close())
}
