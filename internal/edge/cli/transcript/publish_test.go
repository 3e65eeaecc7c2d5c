package transcript

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
)

// A broker that stores nothing is asked again for as long as the person likes, who is told.
func TestAWaitForTheBrokerIsShown(t *testing.T) {
	t.Cleanup(func(was time.Duration) func() { return func() { shownAfter = was } }(shownAfter))
	shownAfter = 10 * time.Millisecond
	file := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(
		`{"specversion":"1.0","id":"e1","source":"/x","type":"session.opened","subject":"s1",`+
			`"time":"2026-01-02T10:00:00Z","data":{"session":"s1"}}`+"\n"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	shown, stderr := io.Pipe()
	done := make(chan error, 1)
	go func() {
		publish := Publish{Paths: []string{file}}
		publish.Server = natstest.Run(t).Conn.ConnectedUrl() // it has no streams
		done <- publish.Run(&cli.Call{Context: ctx, Stdout: io.Discard, Stderr: stderr})
		_ = stderr.Close()
	}()
	text := make([]byte, 200)
	n, err := shown.Read(text)
	require.NoError(t, err)
	require.Contains(t, string(text[:n]), "has stored nothing for 10ms")
	cancel()
	_, _ = io.Copy(io.Discard, shown)
	require.Error(t, <-done)
}
