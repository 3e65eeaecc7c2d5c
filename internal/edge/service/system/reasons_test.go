package system

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
)

// A service that is not let in, or connects as the user of another, says so at once: in its log and
// in /readyz.
func TestAServiceSaysWhyItDoesNotGetOn(t *testing.T) {
	stranger, strangerKey := newUser(t)
	dispatcher, dispatcherKey := newUser(t)
	require.NotEqual(t, strangerKey, dispatcherKey)
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1, LazySync: true, Users: []embedded.User{
		{PublicKey: dispatcherKey, Rights: &embedded.Rights{
			Publish:   []string{"$JS.API.>"},
			Subscribe: []string{"_INBOX_dispatcher.>"},
		}},
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Shutdown()) })
	for seed, want := range map[string]string{
		stranger:   "Authorization Violation",
		dispatcher: "permission_denied: ",
	} {
		var log lines
		c := config.Default()
		c.NATS.URL, c.NATS.Credentials, c.HTTP.Address = server.URL(), seed, natstest.FreeAddresses(t, 1)[0]
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- service.Run(ctx, service.Options{
				Services: Services("ingest"), Config: c,
				Log: slog.New(slog.NewTextHandler(&log, nil)),
			})
		}()
		began := time.Now()
		services := running{"ingest": c.HTTP.Address}
		services.await(t, "/readyz", http.StatusServiceUnavailable, want)
		require.Less(t, time.Since(began), time.Minute)
		_, body := services.get(t, "ingest", "/readyz")
		require.NotContains(t, body, "restore is under way")
		require.Eventually(t, func() bool { return bytes.Contains(log.bytes(), []byte(want)) }, time.Minute,
			20*time.Millisecond)
		stop()
		require.NoError(t, <-done)
	}
	http.DefaultClient.CloseIdleConnections()
}

// newUser makes a user: the file of its seed, and its public key.
func newUser(t *testing.T) (file, public string) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	require.NoError(t, err)
	seed, err := pair.Seed()
	require.NoError(t, err)
	public, err = pair.PublicKey()
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "user.nk")
	require.NoError(t, os.WriteFile(file, seed, 0o600))
	return file, public
}

// lines are a log.
type lines struct {
	mu   sync.Mutex
	text []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	return len(p), nil
}

func (l *lines) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.text)
}
