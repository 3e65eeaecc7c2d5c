package e2e

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
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

// partitions are those of a system that a test starts.
const partitions = 4

func start(t *testing.T, change func(*config.Config)) *running { return startWith(t, change, "") }

// pageKey is what lets a person answer on the page.
const pageKey = "the-key-that-the-terminal-shows"

// startWith returns start with an address for processes of their own to connect to.
func startWith(t *testing.T, change func(*config.Config), listen string, users ...embedded.User) *running {
	t.Helper()
	settings := config.Default()
	settings.Streams.Partitions = partitions
	settings.Log.Level = "debug"
	settings.Reports.Directory = t.TempDir()
	if change != nil {
		change(&settings)
	}
	s := &running{t: t, log: &lockedBuffer{}, data: t.TempDir()}
	var err error
	s.System, err = system.Start(context.Background(), system.Options{
		Config: settings, Data: s.data, LazySync: true, Listen: listen, Users: users, Answer: pageKey, By: "ann",
		Log: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	require.NoError(t, err)
	t.Cleanup(s.end)
	s.nc, err = natsengine.Connect(t.Context(), natsengine.ConnectOptions{Server: s.Server(), Name: "e2e"})
	require.NoError(t, err)
	s.broker, err = natsengine.Open(s.nc, link.Topology(settings), natsengine.Keys{}, nil)
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

// patience is how long a test waits for what must happen. It is long because the
// machine may be busy with other things; it is no measure of speed.
const patience = 3 * time.Minute

// allDecisions are the options that read every decision.
var allDecisions = read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions}

// await reads decisions from the first one on, each once, until reached returns true.
func (s *running) await(reached func(events.Event) bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	r, err := read.Open(ctx, s.broker, allDecisions)
	require.NoError(s.t, err)
	defer r.Close()
	for {
		a, err := r.Next(ctx)
		if err != nil {
			s.t.Fatalf("await a decision: %v\n%s", err, s.trouble())
		}
		if !a.Idle && reached(a.Input.Event) {
			return
		}
	}
}

// trouble returns what the log holds of warnings and errors.
func (s *running) trouble() string {
	var lines []string
	for line := range strings.Lines(string(s.log.Bytes())) {
		if strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, `"level":"ERROR"`) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-20):], "")
}

// decisions calls each with every decision so far.
func (s *running) decisions(each func(events.Event)) {
	s.t.Helper()
	require.NoError(s.t, read.All(s.t.Context(), s.broker, allDecisions, func(a read.Accepted) error {
		each(a.Input.Event)
		return nil
	}))
}

// decided waits until the closing of so many sessions has been decided and
// returns all decisions by group.
func (s *running) decided(sessions int) map[string][]events.Event {
	s.t.Helper()
	closed := map[string]bool{}
	s.await(func(e events.Event) bool {
		if e.Type == sessionevents.TypeSessionClosed {
			closed[e.Subject] = true
		}
		return len(closed) >= sessions
	})
	got := map[string][]events.Event{}
	s.decisions(func(e events.Event) { got[e.Group()] = append(got[e.Group()], e) })
	return got
}

func newCore(t *testing.T) *machines.Core {
	t.Helper()
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	return core
}
