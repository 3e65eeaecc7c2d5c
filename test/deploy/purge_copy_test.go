package deploy

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// files returns the message files of an account's stream that hold a text.
func files(t *testing.T, folder, text string) (all []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			all = append(all, path)
		}
		return err
	}))
	return all
}

// A purge erases the copy of DECISIONS in the account of the agents too, and does so before the stream
// itself, so that a second try finds what an interruption left (AU-40).
func TestAPurgeErasesTheCopyForAgents(t *testing.T) {
	store := t.TempDir()
	url, _ := startIn(t, shipped, store)
	serve(t, url, quiet())
	require.Equal(t, 2, plant(t, url, 2))
	copied := filepath.Join(store, "jetstream", "AGENTS", "streams", "DECISIONS")
	require.Eventually(t, func() bool {
		return len(files(t, copied, "settings0.py")) > 0 && len(files(t, copied, "settings1.py")) > 0
	}, time.Minute, 50*time.Millisecond, "the control")

	broker, err := natsengine.Open(dial(t, url, "admin"), topology.Topology{Partitions: 4}, natsengine.Keys{}, nil)
	require.NoError(t, err)
	for done := false; !done; { // killed after each message
		found, err := erase.Find(t.Context(), broker, "planted-0", "")
		require.NoError(t, err)
		killed, kill := context.WithCancel(t.Context())
		done = erase.Remove(killed, broker, found, kill) == nil
	}
	require.Empty(t, files(t, copied, "settings0.py"))
	for _, stream := range []string{"INPUT", "SEGMENTS", "SIGNALS", "DECISIONS"} {
		require.Empty(t, files(t, filepath.Join(store, "jetstream", "SERVICES", "streams", stream), "settings0.py"), stream)
	}
	require.NotEmpty(t, files(t, copied, "settings1.py"), "the other session is kept")
}
