package nats_test

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// lockedText is a log that is read while the server's last goroutines may still write it.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestServerInProcessOnly(t *testing.T) {
	lines := &lockedText{}
	server, err := embedded.Start(embedded.Options{
		Dir: t.TempDir(),
		Log: slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	require.NoError(t, err)
	require.Empty(t, server.URL())
	nc, err := natsengine.Connect(context.Background(), natsengine.ConnectOptions{Server: server, Name: "a b"})
	require.NoError(t, err)
	require.EqualValues(t, natsengine.MaxPayload, nc.MaxPayload())
	js, err := natsengine.JetStream(nc)
	require.NoError(t, err)
	account, err := js.AccountInfo(context.Background())
	require.NoError(t, err)
	require.Zero(t, account.Streams)
	nc.Close()
	require.NoError(t, server.Shutdown())
	require.Contains(t, lines.String(), "nats: ")
}

func TestServerKeepsItsDataAndItsDirectory(t *testing.T) {
	dir := t.TempDir()
	server, err := embedded.Start(embedded.Options{Dir: dir})
	require.NoError(t, err)
	_, err = embedded.Start(embedded.Options{Dir: dir})
	require.ErrorContains(t, err, "in use by process "+strconv.Itoa(os.Getpid())+": stop that, or choose another directory")
	nc, err := natsengine.Connect(context.Background(), natsengine.ConnectOptions{Server: server})
	require.NoError(t, err)
	b := open(t, nc, natsengine.Keys{}, nil)
	publish(t, b, turn("s", "a", "x"))
	nc.Close()
	require.NoError(t, server.Shutdown())

	again, err := embedded.Start(embedded.Options{Dir: dir})
	require.NoError(t, err)
	nc, err = natsengine.Connect(context.Background(), natsengine.ConnectOptions{Server: again})
	require.NoError(t, err)
	js, err := natsengine.JetStream(nc)
	require.NoError(t, err)
	input, err := js.Stream(context.Background(), "INPUT")
	require.NoError(t, err)
	require.EqualValues(t, 1, input.CachedInfo().State.Msgs)
	nc.Close()
	require.NoError(t, again.Shutdown())
}

// Another process finds the directory in use, and free when its holder dies.
func TestDirectoryInUseByAnotherProcess(t *testing.T) {
	if dir := os.Getenv("HOLD_DIRECTORY"); dir != "" {
		_, err := embedded.Start(embedded.Options{Dir: dir})
		require.NoError(t, err)
		_, err = os.Stdout.WriteString("held\n")
		require.NoError(t, err)
		select {}
	}
	dir := t.TempDir()
	holder := exec.Command(os.Args[0], "-test.run=^TestDirectoryInUseByAnotherProcess$")
	holder.Env = append(os.Environ(), "HOLD_DIRECTORY="+dir)
	out, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	_, err = out.Read(make([]byte, 10))
	require.NoError(t, err)
	_, err = embedded.Start(embedded.Options{Dir: dir})
	require.ErrorContains(t, err, "in use by process "+strconv.Itoa(holder.Process.Pid))
	require.NoError(t, holder.Process.Kill())
	_ = holder.Wait()
	server, err := embedded.Start(embedded.Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, server.Shutdown())
}

func TestConnectGivesUpWithTheReason(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: "nats://ann:" + "hunter" + "2@127.0.0.1:1"})
	require.ErrorContains(t, err, "connect to NATS at nats://ann:xxxxx@127.0.0.1:1")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestConnectionStateIsTold(t *testing.T) {
	broker := natstest.Run(t)
	states := make(chan error, 10)
	nc, err := natsengine.Connect(context.Background(), natsengine.ConnectOptions{
		URL: broker.URL, OnState: func(err error) { states <- err },
		Extra: []nats.Option{nats.ReconnectWait(time.Millisecond)},
	})
	require.NoError(t, err)
	defer nc.Close()
	broker.Restart()
	require.Error(t, <-states)
	require.NoError(t, <-states)
}

func TestStagingInMemoryIsCleanedUp(t *testing.T) {
	if _, err := os.Stat("/dev/shm"); err != nil {
		t.Skip("no file system in memory here")
	}
	count := func() int {
		dirs, err := filepath.Glob("/dev/shm/scaffoldwatch-*")
		require.NoError(t, err)
		mine := 0
		for _, dir := range dirs {
			if _, err := os.Stat(filepath.Join(dir, "SEGMENTS")); err == nil {
				mine++
			}
		}
		return mine
	}
	before := count()
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsengine.Keys{}, nil)
	broker.StageInMemory()
	broker.StageInMemory()
	require.GreaterOrEqual(t, count(), before+1)
	stop := runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
	inputs := fill(t, b, "a", 30)
	accepted(t, b, "ingest", derivedBy(t, inputs))
	broker.Restart() // the server removes the links; the start makes them anew
	inputs = append(inputs, fill(t, b, "b", 30)...)
	want := model(t, inputs, "ingest")
	require.Equal(t, want, accepted(t, b, "ingest", derivedBy(t, inputs)))
	stop()
	broker.Stop()
	require.Eventually(t, func() bool { return count() <= before }, time.Minute, 10*time.Millisecond)
}

func derivedBy(t *testing.T, inputs []events.Event) int { return count(model(t, inputs, "ingest")) }
