package system

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// The service reporter answers for the people whose keys it has, with the operator's credential, and
// says that its page only shows where it has none (CO-10).
func TestTheReporterAnswersForPeople(t *testing.T) {
	keys, people := t.TempDir(), t.TempDir()
	users, err := Users(keys)
	require.NoError(t, err)
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1, LazySync: true, Users: users})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Shutdown()) })
	admin := credential.File(keys, credential.Admin)
	for _, name := range []string{"ingest", "evaluator", "dispatcher"} {
		runAs(t, name, server.URL(), admin, nil)
	}
	key := strings.Repeat("k", 24)
	require.NoError(t, os.WriteFile(filepath.Join(people, "ann"), []byte(key+"\n"), 0o600))
	answers := runAs(t, "reporter", server.URL(), admin, func(c *config.Config) {
		c.Reports.People, c.Reports.Operator = people, credential.File(keys, credential.Operator)
	})
	shows := runAs(t, "reporter", server.URL(), admin, nil)

	nc, err := nats.Connect(
		t.Context(),
		nats.ConnectOptions{URL: server.URL(), Creds: credential.File(keys, credential.Publisher), Name: "publisher"},
	)
	require.NoError(t, err)
	defer nc.Close()
	run, err := client.OpenRun(nc, "loop", client.RunOptions{Source: "/test"})
	require.NoError(t, err)
	defer func() { require.NoError(t, run.Close()) }()
	failed := &runevents.AgentCompleted{AgentID: "maker", Outcome: "failure"}
	for _, data := range []any{&runevents.RunStarted{Goal: "checkout"}, failed, failed, failed} {
		_, err := run.Do(t.Context(), data)
		require.NoError(t, err)
	}
	page := func(at running, path string) (body string) {
		require.Eventually(t, func() bool {
			_, body = at.get(t, "reporter", path)
			return strings.Contains(body, "checkout")
		}, 5*time.Minute, 50*time.Millisecond)
		return body
	}
	for _, path := range []string{"/", "/?key=" + key} {
		body := page(shows, path)
		require.Contains(t, body, "This page shows and does not answer")
		require.Contains(t, body, "scaffoldwatch resume loop")
		require.NotContains(t, body, "<form")
	}
	require.Contains(t, page(answers, "/"), "Answers are shown at the page&#39;s address with a key.")
	require.Contains(t, page(answers, "/?key="+key), "Resume…")

	post := func(at running, key string) int {
		form := url.Values{"act": {"resume"}, "of": {"loop"}, "why": {"the test is fixed"}, "key": {key}}
		answer, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).PostForm(
			"http://"+at["reporter"]+"/act",
			form,
		)
		require.NoError(t, err)
		defer answer.Body.Close()
		return answer.StatusCode
	}
	require.Equal(t, http.StatusForbidden, post(shows, key))
	require.Equal(t, http.StatusForbidden, post(answers, "x"+key))
	require.Equal(t, http.StatusSeeOther, post(answers, key))
	require.Eventually(t, func() bool {
		_, body := answers.get(t, "reporter", "/runs/loop?key="+key)
		return strings.Contains(body, "Running.") && strings.Contains(body, "ann: the test is fixed")
	}, 5*time.Minute, 50*time.Millisecond, "who did it is on the record")
}

// runAs runs a service on a port of its own, with a credential, until the test ends.
func runAs(t *testing.T, name, url, creds string, change func(*config.Config)) running {
	t.Helper()
	c := config.Default()
	c.NATS.URL, c.NATS.Credentials, c.HTTP.Address, c.Streams.Partitions = url, creds, natstest.FreeAddresses(t, 1)[0], 2
	if change != nil {
		change(&c)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- service.Run(ctx, service.Options{Services: Services(name), Config: c, Log: slog.New(slog.DiscardHandler)})
	}()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
		http.DefaultClient.CloseIdleConnections()
	})
	list := running{name: c.HTTP.Address}
	list.await(t, "/readyz", http.StatusOK)
	return list
}
