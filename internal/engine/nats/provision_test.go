package nats_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

func TestProvisionCreatesThenOnlyCompares(t *testing.T) {
	ctx := context.Background()
	js, err := nats.JetStream(natstest.Run(t).Conn)
	require.NoError(t, err)
	missing, err := nats.Check(ctx, js, topology)
	require.NoError(t, err)
	require.Len(t, missing, 9, "six streams and three buckets")
	for range 2 {
		differences, err := nats.Provision(ctx, js, topology)
		require.NoError(t, err)
		require.Empty(t, differences)
	}
	other := nats.Topology{Partitions: 32, InputAge: time.Hour, Ages: map[events.Stream]time.Duration{events.StreamDeadLetter: time.Minute}, Beat: time.Minute}
	for _, compare := range []func() ([]nats.Difference, error){
		func() ([]nats.Difference, error) { return nats.Provision(ctx, js, other) },
		func() ([]nats.Difference, error) { return nats.Check(ctx, js, other) },
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
		SubjectTransform: topology.Streams()[1].SubjectTransform,
	})
	require.NoError(t, err)
	for range 2 {
		differences, err := nats.Provision(ctx, js, topology)
		require.NoError(t, err)
		var lines []string
		for _, d := range differences {
			lines = append(lines, d.Name+" "+d.Field)
		}
		require.Equal(t, []string{
			"TIMERS stream", "INPUT subjects", "INPUT rollup", "INPUT schedules", "INPUT message TTL", "INPUT sources",
		}, lines)
		require.Equal(t, "TIMERS: stream is missing: another stream has its subjects, wanted there", differences[0].String())
		require.Equal(t, "INPUT: schedules is true, wanted false", differences[3].String())
	}
}

// The partition that the broker's transform gives is the one we compute.
func TestPartitionsAgree(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, nats.Keys{}, nil)
	for i := range 50 {
		publish(t, b, turn("session-"+string(rune('a'+i%26))+string(rune('A'+i/26)), "t", "x"))
	}
	runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
	for p, lines := range accepted(t, b, "ingest", 50) {
		require.NotEmpty(t, lines, "partition %d", p)
	}
}

func TestMembersShareAndTakeOver(t *testing.T) {
	broker := natstest.Run(t)
	b, err := nats.Open(broker.Conn, nats.Topology{Partitions: 16, Beat: 100 * time.Millisecond}, nats.Keys{}, nil)
	require.NoError(t, err)
	_, err = b.Provision(context.Background())
	require.NoError(t, err)
	_, err = b.Members(context.Background(), "ingest", "not a name")
	require.ErrorContains(t, err, "instance name")

	join := func(name string) (<-chan []int, func()) {
		ctx, cancel := context.WithCancel(context.Background())
		shares, err := b.Members(ctx, "ingest", name)
		require.NoError(t, err)
		return shares, cancel
	}
	one, leaveOne := join("one")
	require.Len(t, <-one, 16)
	two, leaveTwo := join("two")
	mine := engine.Assign("one", []string{"one", "two"}, 16)
	theirs := engine.Assign("two", []string{"one", "two"}, 16)
	until(t, two, theirs)
	until(t, one, mine)
	leaveTwo()
	until(t, one, engine.Assign("one", nil, 16))
	leaveOne()
	for _, shares := range []<-chan []int{one, two} {
		for range shares { // closed when its instance left
		}
	}
}

// until waits for a share; a slow machine can show others before it.
func until(t *testing.T, shares <-chan []int, want []int) {
	t.Helper()
	for share := range shares {
		if slices.Equal(share, want) {
			return
		}
	}
	t.Fatal("the share did not come")
}
