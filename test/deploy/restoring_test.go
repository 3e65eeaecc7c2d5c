package deploy

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// A service decides nothing on half a system: it waits, says why, and begins by itself
// when the restore is complete (AU-41).
func TestServicesWaitForARestore(t *testing.T) {
	url := start(t)
	broker, err := natsengine.Open(dial(t, url, "admin"), topology.Topology{Partitions: 4}, natsengine.Keys{}, nil)
	require.NoError(t, err)
	require.NoError(t, keep.MarkRestore(t.Context(), broker, "b1"))
	require.ErrorContains(t, keep.CheckRestored(t.Context(), broker), "the restore of backup b1")

	c := config.Default()
	c.NATS.URL, c.NATS.User, c.NATS.Password, c.Streams.Partitions = url, "ingest", "ingest", 4
	c.HTTP.Address = natstest.FreeAddresses(t, 1)[0]
	running, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- service.Run(running, service.Options{Services: system.Services("ingest"), Config: c, Log: quiet()})
	}()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
	ready := "http://" + c.HTTP.Address + "/readyz"
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		saysReady(t, ready, http.StatusServiceUnavailable, "the restore of backup b1 is under way or was interrupted")
	}, time.Minute, 100*time.Millisecond)

	require.NoError(t, keep.UnmarkRestore(t.Context(), broker))
	requireReady(t, ready)
}
