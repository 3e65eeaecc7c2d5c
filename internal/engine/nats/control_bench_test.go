package nats_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// benchDecisions is how many decisions the benchmark's stream holds.
func benchDecisions(b *testing.B) int {
	text := os.Getenv("SCAFFOLDWATCH_BENCH_DECISIONS")
	if text == "" {
		return 20_000
	}
	n, err := strconv.Atoi(text)
	require.NoError(b, err)
	return n
}

// fillDecisions commits batches of 100 decisions about a run, two of them control
// states.
func fillDecisions(b *testing.B, n *nats.Broker, decisions int) {
	sink, err := commit.Sink(n, "dispatcher")
	require.NoError(b, err)
	logs := map[int]engine.Log{}
	for run := range decisions / 100 {
		id := fmt.Sprintf("run-%d", run)
		p := subjects.Partition(id, n.Topology().Partitions)
		if logs[p] == nil {
			logs[p], err = sink.Open(context.Background(), p)
			require.NoError(b, err)
		}
		batch := engine.Batch{Position: engine.Position{Sequence: uint64(run + 1)}}
		for i := range 100 {
			ev := control(id, "", runevents.ControlRunning, "")
			switch {
			case i == 99:
				ev = control(id, "", runevents.ControlHalted, "b")
			case i > 0:
				ev.Type, ev.Data = sessionevents.TypeSignalLogged, &sessionevents.Disposition{Session: "s", Signal: "x", Detector: "C1", Reason: "worth too little to be said at once"}
			}
			ev.ID = fmt.Sprintf("%s-%d", id, i)
			m, err := logs[p].Encode(id, ev)
			require.NoError(b, err)
			batch.Messages = append(batch.Messages, m)
		}
		require.NoError(b, logs[p].Commit(context.Background(), batch))
	}
}

// BenchmarkControlStart reports how long a dispatcher waits for CONTROL at its
// start: when the bucket is as it should be, and when it was lost.
func BenchmarkControlStart(b *testing.B) {
	ctx := context.Background()
	broker := natstest.RunWith(b, embedded.Options{Dir: b.TempDir(), Port: -1, LazySync: true})
	n, err := nats.Open(broker.Conn, topology.Topology{}, nats.Keys{}, nil)
	require.NoError(b, err)
	_, err = topology.ProvisionOwn(ctx, n.JetStream(), n.Topology())
	require.NoError(b, err)
	broker.StageInMemory()
	fillDecisions(b, n, benchDecisions(b))
	measure := func(b *testing.B, before func()) {
		var taken time.Duration
		for range b.N {
			before()
			begun := time.Now()
			stop := keepControl(b, n)
			taken += time.Since(begun)
			stop()
		}
		b.ReportMetric(float64(taken.Milliseconds())/float64(b.N), "ms/start")
	}
	b.Run("lost", func(b *testing.B) {
		measure(b, func() {
			require.NoError(b, n.JetStream().DeleteKeyValue(ctx, topology.BucketControl))
			_, err := topology.ProvisionOwn(ctx, n.JetStream(), n.Topology())
			require.NoError(b, err)
		})
	})
	b.Run("kept", func(b *testing.B) { measure(b, func() {}) })
	b.Run("whole stream", func(b *testing.B) { // what it would cost to check all of it
		for range b.N {
			require.NoError(b, read.All(ctx, n, read.Options{
				Stage: "dispatcher", Partition: nats.AllPartitions, Filters: []string{subjects.FleetFilter(runevents.TypeControlChanged)},
			}, func(read.Accepted) error { return nil }))
		}
	})
	info, err := n.JetStream().Stream(ctx, "KV_"+topology.BucketControl)
	require.NoError(b, err)
	b.Logf("%d keys, %d bytes", info.CachedInfo().State.Msgs, info.CachedInfo().State.Bytes)
}
