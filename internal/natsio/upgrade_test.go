package natsio_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio/natstest"
)

// Streams of a version that knew fewer event types take the new ones (EV-11).
func TestAddSubjects(t *testing.T) {
	b := natstest.Run(t)
	broker, err := natsio.Open(b.Conn, natsio.Topology{Partitions: 4}, natsio.Keys{}, nil)
	require.NoError(t, err)
	changed, err := broker.AddSubjects(t.Context())
	require.NoError(t, err)
	require.Empty(t, changed, "nothing is there yet")
	for _, config := range broker.Topology().Streams() {
		if config.Name == "INPUT" {
			config.Subjects = config.Subjects[:3]
		}
		_, err := broker.JetStream().CreateStream(t.Context(), config)
		require.NoError(t, err)
	}
	differences, err := broker.Provision(t.Context())
	require.NoError(t, err)
	require.Len(t, differences, 1)
	changed, err = broker.AddSubjects(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"INPUT"}, changed)
	differences, err = broker.Provision(t.Context())
	require.NoError(t, err)
	require.Empty(t, differences)
}
