package system

import (
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// A quiet system has the broker receive and send fewer messages than that in a stretch. About 120 are
// usual, for heartbeats and looks at streams; with a look at each partition there were 1,300.
const (
	quietMessages = 300
	quietFor      = 10 * time.Second
)

// A system that has decided something and has nothing to do leaves the broker alone. A machine that
// is busy with other things only lowers the count.
func TestAnIdleSystemIsQuiet(t *testing.T) {
	proofs.NeedsFull(t, "it waits while nothing happens")
	t.Parallel()
	settings := config.Default()
	settings.HTTP.Address = ""
	s, err := Start(t.Context(), Options{Config: settings, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Data: t.TempDir(), LazySync: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Stop()) }()
	decide(t, s)

	count := func() int64 {
		n, err := s.Server().Messages()
		require.NoError(t, err)
		return n
	}
	// What was decided is looked at once more before it is quiet.
	for stretch := 0; ; stretch++ {
		before := count()
		time.Sleep(quietFor)
		messages := count() - before
		t.Logf("%d messages in %s", messages, quietFor)
		if messages < quietMessages {
			return
		}
		require.Less(t, stretch, 6, "%d messages in %s in which nothing happens, again and again", messages, quietFor)
	}
}

// decide sends the turns of the sample fleet and waits until they are evaluated.
func decide(t *testing.T, s *System) {
	t.Helper()
	nc, err := natsengine.Connect(t.Context(), natsengine.ConnectOptions{Server: s.Server(), Name: "test"})
	require.NoError(t, err)
	defer nc.Close()
	broker, err := natsengine.Open(nc, link.Topology(config.Default()), natsengine.Keys{}, nil)
	require.NoError(t, err)
	reader, err := read.Open(t.Context(), broker, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions})
	require.NoError(t, err)
	defer reader.Close()
	publisher, err := publish.New(nc)
	require.NoError(t, err)
	fleet, err := demo.Sessions(time.Now())
	require.NoError(t, err)
	turns := 0
	for _, e := range slices.Concat(fleet...) {
		require.NoError(t, publisher.Send(t.Context(), e))
		if e.Type == sessionevents.TypeTurnRaw {
			turns++
		}
	}
	require.NoError(t, publisher.Close())
	for turns > 0 {
		a, err := reader.Next(t.Context())
		require.NoError(t, err)
		if !a.Idle && a.Input.Event.Type == sessionevents.TypeTurnEvaluated {
			turns--
		}
	}
}
