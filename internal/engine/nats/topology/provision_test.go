package topology_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

var fourPartitions = topology.Topology{Partitions: 4}

func TestProvisionCreatesThenOnlyCompares(t *testing.T) {
	ctx := context.Background()
	js, err := nats.JetStream(natstest.Run(t).Conn)
	require.NoError(t, err)
	missing, err := topology.Check(ctx, js, fourPartitions)
	require.NoError(t, err)
	require.Len(t, missing, 10, "six streams and four buckets")
	for range 2 {
		differences, err := topology.Provision(ctx, js, fourPartitions)
		require.NoError(t, err)
		require.Empty(t, differences)
	}
	other := topology.Topology{Partitions: 32, InputAge: time.Hour, Ages: map[events.Stream]time.Duration{events.StreamDeadLetter: time.Minute}, Beat: time.Minute}
	for _, compare := range []func() ([]topology.Difference, error){
		func() ([]topology.Difference, error) { return topology.Provision(ctx, js, other) },
		func() ([]topology.Difference, error) { return topology.Check(ctx, js, other) },
	} {
		differences, err := compare()
		require.NoError(t, err)
		var lines []string
		for _, d := range differences {
			lines = append(lines, d.Name+" "+d.Field)
		}
		require.Equal(t, []string{"INPUT max age", "INPUT subject transform", "INPUT sources", "DEADLETTER max age", "MEMBERS ttl"}, lines)
		require.Equal(t, "INPUT: max age is 24h0m0s, wanted 1h0m0s", differences[0].String())
	}
	input, err := js.Stream(ctx, "INPUT")
	require.NoError(t, err)
	require.Equal(t, 24*time.Hour, input.CachedInfo().Config.MaxAge, "nothing was changed")
}

// A data directory whose INPUT schedules timers itself is named, not changed.
func TestProvisionNamesAnInputWithSchedules(t *testing.T) {
	ctx := context.Background()
	js, err := nats.JetStream(natstest.Run(t).Conn)
	require.NoError(t, err)
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "INPUT", Subjects: append(subjects.StreamSubjects(events.StreamInput), "timer.expired.*.*", "timer.at.*.*.*.*"),
		MaxAge: 24 * time.Hour, AllowDirect: true, AllowMsgSchedules: true, AllowMsgTTL: true, AllowRollup: true,
		SubjectTransform: fourPartitions.Streams()[1].SubjectTransform,
	})
	require.NoError(t, err)
	for range 2 {
		differences, err := topology.Provision(ctx, js, fourPartitions)
		require.NoError(t, err)
		var lines []string
		for _, d := range differences {
			lines = append(lines, d.Name+" "+d.Field)
		}
		require.Equal(t, []string{
			"TIMERS stream", "INPUT subjects", "INPUT duplicate window", "INPUT compression", "INPUT rollup", "INPUT schedules", "INPUT message TTL", "INPUT sources",
		}, lines)
		require.Equal(t, "TIMERS: stream is missing: another stream has its subjects, wanted there", differences[0].String())
		require.Equal(t, "INPUT: schedules is true, wanted false", differences[5].String())
	}
}
