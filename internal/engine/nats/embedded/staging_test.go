package embedded

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	natsclient "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// Where staging in memory is impossible, batches are committed all the same, and
// the log says why, once.
func TestStagingFallsBackToDisk(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	for root, reason := range map[string]string{
		"/nowhere": "no file system in memory at /nowhere",
		blocked:    "no file system in memory",
		"/proc":    "make a directory in memory",
	} {
		var lines bytes.Buffer
		s, err := Start(Options{Dir: t.TempDir(), LazySync: true, Log: slog.New(slog.NewTextHandler(&lines, nil))})
		require.NoError(t, err)
		s.staging.root = root
		batches := stream(t, s)
		s.StageInMemory()
		s.StageInMemory()
		require.Equal(t, 1, strings.Count(lines.String(), "staged on disk"), lines.String())
		require.Contains(t, lines.String(), reason)
		batches(3)
		require.NoError(t, s.Shutdown())
	}
}

// A link that dangles, left by a start that could stage in memory, does not stop
// commits of one that cannot.
func TestStagingFallsBackFromALinkThatDangles(t *testing.T) {
	dir := t.TempDir()
	s, err := Start(Options{Dir: dir, LazySync: true})
	require.NoError(t, err)
	batches := stream(t, s)
	place := filepath.Join(dir, "streams", "jetstream", "$G", "streams", "S", "batches")
	_ = os.Remove(place)
	require.NoError(t, os.Symlink("/nowhere/at/all", place))
	s.staging.root = "/nowhere"
	s.StageInMemory()
	batches(3)
	require.NoError(t, s.Shutdown())
}

// A server that keeps its streams elsewhere is noticed.
func TestStagingNoticesAnotherLayout(t *testing.T) {
	var lines bytes.Buffer
	s, err := Start(Options{Dir: t.TempDir(), LazySync: true, Log: slog.New(slog.NewTextHandler(&lines, nil))})
	require.NoError(t, err)
	s.StageInMemory()
	require.Empty(t, lines.String(), "there is no stream yet")
	stream(t, s)
	s.staging.streams = t.TempDir()
	s.StageInMemory()
	require.Contains(t, lines.String(), "not where this version expects them")
	require.NoError(t, s.Shutdown())
}

// stream makes a stream and returns a function that commits batches to it.
func stream(t *testing.T, s *Server) func(n int) {
	t.Helper()
	nc, err := nats.Connect(context.Background(), nats.ConnectOptions{Server: s})
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := nats.JetStream(nc)
	require.NoError(t, err)
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}, AllowAtomicPublish: true})
	require.NoError(t, err)
	return func(n int) {
		t.Helper()
		for range n {
			_, err := jetstreamext.PublishMsgBatch(t.Context(), js, []*natsclient.Msg{natsclient.NewMsg("s.a"), natsclient.NewMsg("s.b")}, jetstreamext.BatchFlowControl{})
			require.NoError(t, err)
		}
	}
}
