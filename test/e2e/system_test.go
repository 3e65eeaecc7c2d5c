package e2e

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/connect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/system"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestMain(m *testing.M) {
	if database := os.Getenv(reporterVariable); database != "" {
		runReporter(database)
	}
	goleak.VerifyTestMain(m, append(natstest.Leftovers(),
		goleak.Cleanup(func(code int) { removePrograms(); os.Exit(code) }),
		goleak.IgnoreTopFunction("github.com/tetratelabs/wazero/internal/engine/wazevo.(*callEngine).callWithStack"))...)
}

// running is a running `up` with a connection, its log kept.
type running struct {
	*system.System
	t      *testing.T
	nc     *nats.Conn
	broker *natsengine.Broker
	log    *lockedBuffer
	data   string
	stop   sync.Once
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) Bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.b.Bytes())
}

func start(t *testing.T, change func(*config.Config)) *running { return startWith(t, change, "") }

// startWith is start with an address for processes of their own to connect to.
func startWith(t *testing.T, change func(*config.Config), listen string) *running {
	t.Helper()
	settings := config.Default()
	settings.Streams.Partitions = 4
	settings.Log.Level = "debug"
	settings.Reports.Directory = t.TempDir()
	if change != nil {
		change(&settings)
	}
	s := &running{t: t, log: &lockedBuffer{}, data: t.TempDir()}
	var err error
	s.System, err = system.Start(context.Background(), system.Options{
		Config: settings, Data: s.data, LazySync: true, Listen: listen,
		Log: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	require.NoError(t, err)
	t.Cleanup(s.end)
	s.nc, err = natsengine.Connect(t.Context(), natsengine.ConnectOptions{Server: s.Server(), Name: "e2e"})
	require.NoError(t, err)
	s.broker, err = natsengine.Open(s.nc, connect.Topology(settings), natsengine.Keys{}, nil)
	require.NoError(t, err)
	return s
}

func (s *running) end() {
	s.stop.Do(func() {
		if s.nc != nil {
			s.nc.Close()
		}
		require.NoError(s.t, s.Stop())
	})
}

func (s *running) publish(list []events.Event) {
	s.t.Helper()
	publish, err := publish.New(s.nc)
	require.NoError(s.t, err)
	defer publish.Close()
	for _, e := range list {
		require.NoError(s.t, publish.Send(s.t.Context(), e))
	}
}

// decided waits until the closing of so many sessions has been decided and
// returns all decisions by group.
func (s *running) decided(sessions int) map[string][]events.Event {
	s.t.Helper()
	got := map[string][]events.Event{}
	require.Eventually(s.t, func() bool {
		clear(got)
		closed := map[string]bool{}
		err := s.broker.ReadAll(s.t.Context(), natsengine.ReaderOptions{Stage: "dispatcher", Partition: natsengine.AllPartitions}, func(a natsengine.Accepted) error {
			e := a.Input.Event
			got[e.Group()] = append(got[e.Group()], e)
			if e.Type == sessionevents.TypeSessionClosed {
				closed[e.Subject] = true
			}
			return nil
		})
		return err == nil && len(closed) >= sessions
	}, 2*time.Minute, 50*time.Millisecond)
	return got
}

func newCore(t *testing.T) *machines.Core {
	t.Helper()
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	return core
}
