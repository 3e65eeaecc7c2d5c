package read

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// The readings of a stream share a look at its end unless they need the present one.
func TestReadingsShareTheLookAtTheEnd(t *testing.T) {
	broker := natstest.Run(t)
	nc := broker.Connect("counted")
	b, err := natsengine.Open(nc, topology.Topology{}, natsengine.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(t.Context(), b.JetStream(), b.Topology())
	require.NoError(t, err)
	asked := func(ago time.Duration) uint64 {
		before := nc.Stats().OutMsgs
		for range 16 {
			more, last, err := holdsMore(t.Context(), b, events.StreamInput, nil, 1, ago)
			require.NoError(t, err)
			require.False(t, more)
			require.Zero(t, last)
		}
		return nc.Stats().OutMsgs - before
	}
	asked(0) // the first looks up the stream as well
	require.EqualValues(t, 16, asked(0))
	require.EqualValues(t, 1, asked(time.Hour))
	require.Zero(t, asked(time.Hour))
}
