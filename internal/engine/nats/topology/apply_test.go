package topology_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Limits are set and raised, ages grow; what would lose messages stays and is named.
func TestApplyLosesNothing(t *testing.T) {
	ctx := context.Background()
	js, err := nats.JetStream(natstest.Run(t).Conn)
	require.NoError(t, err)
	start := topology.Topology{Partitions: 4, Ages: map[events.Stream]time.Duration{events.StreamSignals: time.Hour}}
	_, err = topology.Provision(ctx, js, start)
	require.NoError(t, err)
	for range 10 {
		_, err = js.Publish(ctx, "turn.raw.s.s", []byte(strings.Repeat("x", 1000)))
		require.NoError(t, err)
	}
	wanted := topology.Topology{
		Partitions: 4, InputAge: 48 * time.Hour, InputQuota: 12, Ages: map[events.Stream]time.Duration{events.StreamSignals: 2 * time.Hour, events.StreamDecisions: time.Minute},
		Bytes: map[events.Stream]int64{events.StreamInput: 1 << 20, events.StreamDecisions: 1 << 20},
	}
	changed, err := topology.Apply(ctx, js, wanted)
	require.NoError(t, err)
	require.Equal(t, []string{"INPUT", "SIGNALS", "DECISIONS"}, changed)
	differences, err := topology.Check(ctx, js, wanted)
	require.NoError(t, err)
	require.Len(t, differences, 1)
	require.Equal(t, "DECISIONS: max age is 0s, wanted 1m0s", differences[0].String(), "a shorter age loses what is older")

	for range 2 {
		_, err = js.Publish(ctx, "turn.raw.s.s", nil)
		require.NoError(t, err)
	}
	_, err = js.Publish(ctx, "turn.raw.s.s", nil)
	var refused *jetstream.APIError
	require.True(t, errors.As(err, &refused), "%v", err)
	require.Contains(t, refused.Description, "maximum messages per subject exceeded")
	_, err = js.Publish(ctx, "turn.raw.other.other", nil)
	require.NoError(t, err, "a flood costs its sender")

	smaller := wanted
	smaller.Bytes, smaller.InputQuota = map[events.Stream]int64{events.StreamInput: 1 << 10}, 1
	_, err = topology.Apply(ctx, js, smaller)
	require.NoError(t, err)
	input, err := js.Stream(ctx, "INPUT")
	require.NoError(t, err)
	require.EqualValues(t, 13, input.CachedInfo().State.Msgs, "a limit below what there is is not set")
}
