package nats_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

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
	b, err := nats.Open(broker.Conn, topology.Topology{Partitions: 16, Beat: 100 * time.Millisecond}, nats.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(context.Background(), b.JetStream(), b.Topology())
	require.NoError(t, err)
	_, err = keep.Members(context.Background(), b, "ingest", "not a name")
	require.ErrorContains(t, err, "instance name")

	join := func(name string) (<-chan []int, func()) {
		ctx, cancel := context.WithCancel(context.Background())
		shares, err := keep.Members(ctx, b, "ingest", name)
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

// What no instance wrote is no member: it is reported and removed, and an instance
// whose heartbeat was overwritten stays one.
func TestOnlyHeartbeatsAreMembers(t *testing.T) {
	broker := natstest.Run(t)
	h := &heard{}
	b, err := nats.Open(broker.Conn, topology.Topology{Partitions: 16, Beat: 200 * time.Millisecond}, nats.Keys{}, h)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(context.Background(), b.JetStream(), b.Topology())
	require.NoError(t, err)
	bucket, err := b.JetStream().KeyValue(t.Context(), topology.BucketMembers)
	require.NoError(t, err)
	for _, ghost := range []string{"ghost", "other"} {
		_, err = bucket.PutString(t.Context(), "ingest."+ghost, `{"stream":"INPUT","seq":1}`)
		require.NoError(t, err)
	}
	ctx, leave := context.WithCancel(context.Background())
	shares, err := keep.Members(ctx, b, "ingest", "one")
	require.NoError(t, err)
	require.Len(t, <-shares, 16)
	require.Equal(t, 2, h.all()["not written by a service"])
	keys, err := bucket.Keys(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"ingest.one"}, keys)
	copied, err := bucket.Get(t.Context(), "ingest.one")
	require.NoError(t, err)
	_, err = bucket.Put(t.Context(), "ingest.two", copied.Value()) // a replay under another key
	require.NoError(t, err)
	_, err = bucket.PutString(t.Context(), "ingest.one", "{}")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := bucket.Get(t.Context(), "ingest.two")
		return err != nil
	}, time.Minute, 10*time.Millisecond)
	leave()
	for share := range shares {
		require.Len(t, share, 16, "nobody else is a member")
	}
}
