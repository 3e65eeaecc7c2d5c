package system

import (
	"log/slog"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Once a write has failed, a system that is stopped stores nothing more: on a full disk a part of what its
// services save would be stored, which no checkpoint accounts for.
func TestAStopAfterAFailedWriteStoresNothing(t *testing.T) {
	settings, data := config.Default(), t.TempDir()
	settings.HTTP.Address = ""
	log := slog.New(slog.NewTextHandler(&lines{}, nil))
	s, err := Start(t.Context(), Options{Config: settings, Log: log, Data: data, LazySync: true})
	require.NoError(t, err)
	decide(t, s)
	fleet, err := demo.Sessions(time.Now())
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the last that ingest writes
		closed := jetstream.WithSubjectFilter("segments." + string(sessionevents.TypeSessionClosed) + ".>")
		info, err := segments(t, s.Server()).Info(t.Context(), closed)
		return err == nil && len(info.State.Subjects) == len(fleet)
	}, time.Minute, 50*time.Millisecond)
	breakWrites(t, s.Server())
	before := segments(t, s.Server()).CachedInfo().State.LastSeq
	require.NoError(t, s.Stop())

	server, err := embedded.Start(embedded.Options{Dir: data})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Shutdown()) }()
	require.Equal(t, before, segments(t, server).CachedInfo().State.LastSeq)
}

// breakWrites makes a server fail to write to a stream of the test, as on a full disk.
func breakWrites(t *testing.T, server *embedded.Server) {
	t.Helper()
	js := streamsOf(t, server)
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "FILL", Subjects: []string{"fill"}})
	require.NoError(t, err)
	var usual syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual))
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4 << 20, Max: usual.Max}))
	defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual)) }()
	require.Eventually(t, func() bool {
		_ = js.Conn().Publish("fill", make([]byte, 1<<20))
		_ = js.Conn().Flush()
		return server.Broken() != ""
	}, time.Minute, 10*time.Millisecond)
}

func streamsOf(t *testing.T, server *embedded.Server) jetstream.JetStream {
	t.Helper()
	nc, err := natsengine.Connect(t.Context(), natsengine.ConnectOptions{
		Server: server, Name: "test", Extra: []nats.Option{nats.NoReconnect()},
	})
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := natsengine.JetStream(nc)
	require.NoError(t, err)
	return js
}

func segments(t *testing.T, server *embedded.Server) jetstream.Stream {
	t.Helper()
	stream, err := streamsOf(t, server).Stream(t.Context(), string(events.StreamSegments))
	require.NoError(t, err)
	return stream
}
