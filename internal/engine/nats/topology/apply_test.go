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

// An installation whose INPUT has a duplicate window, which all publishers share, is
// named, and loses it; until then a stranger can have an event swallowed. On a busy machine the
// server goes by the old window once more (stream.go: the timer is reset before the window is),
// so what it holds counts for up to the length of that.
func TestApplyClosesTheDuplicateWindow(t *testing.T) {
	ctx := context.Background()
	js, err := nats.JetStream(natstest.Run(t).Conn)
	require.NoError(t, err)
	wanted := topology.Topology{Partitions: 4, Intakes: []topology.Intake{{Account: "SHOP", Messages: 10, Window: time.Hour}}}
	for _, config := range wanted.Streams() {
		if config.Name == "INPUT" || config.Name == "INTAKE_SHOP" {
			config.Duplicates = 20 * time.Second
		}
		_, err := js.CreateStream(ctx, config)
		require.NoError(t, err)
	}
	publish := func(subject string) (duplicate bool) {
		ack, err := js.Publish(ctx, subject, nil, jetstream.WithMsgID("git-hook 1"))
		require.NoError(t, err)
		return ack.Duplicate
	}
	require.False(t, publish("turn.raw.junk.junk"))
	require.True(t, publish("run.fact.r.r"), "the fault")

	differences, err := topology.Provision(ctx, js, wanted)
	require.NoError(t, err)
	var lines []string
	for _, d := range differences {
		lines = append(lines, d.String())
	}
	require.Equal(t, []string{
		"INTAKE_SHOP: duplicate window is 20s, wanted 100ms", "INPUT: duplicate window is 20s, wanted 0s",
	}, lines)
	changed, err := topology.Apply(ctx, js, wanted)
	require.NoError(t, err)
	require.Equal(t, []string{"INTAKE_SHOP", "INPUT"}, changed)
	differences, err = topology.Check(ctx, js, wanted)
	require.NoError(t, err)
	require.Empty(t, differences)
	require.Eventually(
		t, func() bool { return !publish("run.fact.r.r") }, 2*time.Minute, 5*time.Millisecond,
		"what the window held is forgotten",
	)
	for range 3 {
		require.False(t, publish("run.fact.r.r"))
	}
}

// INPUT copies what has the same message id from two streams, and takes it from
// clients: the header decides nothing.
func TestInputIgnoresMessageIds(t *testing.T) {
	ctx := context.Background()
	js, err := nats.JetStream(natstest.Run(t).Conn)
	require.NoError(t, err)
	_, err = topology.Provision(ctx, js, topology.Topology{Partitions: 4, Intakes: []topology.Intake{{Account: "SHOP", Messages: 10, Window: time.Hour}, {Account: "MILL", Messages: 10, Window: time.Hour}}})
	require.NoError(t, err)
	for _, subject := range []string{"turn.raw.a.a", "run.fact.b.b", "intake.SHOP.turn.raw.c.c", "intake.MILL.turn.raw.d.d", "operator.act.e.e"} {
		ack, err := js.Publish(ctx, subject, nil, jetstream.WithMsgID("the same"))
		require.NoError(t, err)
		require.False(t, ack.Duplicate, subject)
	}
	input, err := js.Stream(ctx, "INPUT")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		info, err := input.Info(ctx)
		require.NoError(t, err)
		return info.State.Msgs == 5
	}, time.Minute, 10*time.Millisecond)
}
