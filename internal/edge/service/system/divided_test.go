package system

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// A service whose number of partitions is not that of the streams does not start (rolling upgrades).
func TestOtherPartitionsAreRefused(t *testing.T) {
	broker := natstest.Run(t)
	js, err := nats.JetStream(broker.Conn)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(t.Context(), js, topology.Topology{Partitions: 4})
	require.NoError(t, err)
	for _, name := range everyService {
		t.Run(name, func(t *testing.T) {
			c := config.Default()
			c.NATS.URL, c.HTTP.Address, c.Streams.Partitions = broker.URL, "", 2
			err := service.Run(t.Context(), service.Options{
				Services: Services(name), Config: c, Log: slog.New(slog.DiscardHandler),
			})
			require.ErrorContains(t, err, "streams.partitions differs from that of the streams")
		})
	}
}
