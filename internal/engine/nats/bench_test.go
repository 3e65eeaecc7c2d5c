package nats_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natscontrol "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

var stages = []string{"ingest", "evaluator", "dispatcher"}

// benchPipeline runs three stages of small machines over 16 partitions in one
// process, each write synced.
func benchPipeline(b *testing.B) *natsengine.Broker {
	broker := natstest.RunWith(b, embedded.Options{Dir: b.TempDir(), Port: -1})
	n, err := natsengine.Open(broker.Conn, topology.Topology{}, natsengine.Keys{}, nil)
	require.NoError(b, err)
	_, err = topology.ProvisionOwn(context.Background(), n.JetStream(), n.Topology())
	require.NoError(b, err)
	broker.StageInMemory()
	return n
}

func benchRun(b *testing.B, n *natsengine.Broker) {
	for _, name := range stages {
		runs(b, n, enginetest.Tally{Name: name}, engine.Options{}, nil)
	}
}

func benchTurn(b *testing.B, i int) *nats.Msg {
	ev := turn(fmt.Sprintf("s%d", i%200), fmt.Sprintf("t%d", i), fmt.Sprintf("%01000d", i))
	subject, err := subjects.PublishedSubject(ev)
	require.NoError(b, err)
	header, data, err := events.EncodeBinary(ev)
	require.NoError(b, err)
	return &nats.Msg{Subject: subject, Header: header, Data: data}
}

// BenchmarkPipelineThroughput reports turns a second through three stages, from
// a backlog.
func BenchmarkPipelineThroughput(b *testing.B) { benchThroughput(b, false) }

// BenchmarkPipelineThroughputWithKeepers is the same beside what keeps the stages'
// timers and the control states.
func BenchmarkPipelineThroughputWithKeepers(b *testing.B) { benchThroughput(b, true) }

// benchKeepers keeps timers and control states until the benchmark ends.
func benchKeepers(b *testing.B, n *natsengine.Broker) {
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for _, name := range stages {
		group.Go(func() { keep.Timers(ctx, n, name, func(err error) { b.Log(err) }) })
	}
	group.Go(func() { natscontrol.Keep(ctx, n, func() {}, func(err error) { b.Log(err) }) })
	b.Cleanup(func() {
		stop()
		group.Wait()
	})
}

func benchThroughput(b *testing.B, keepers bool) {
	n := benchPipeline(b)
	if keepers {
		benchKeepers(b, n)
	}
	async, err := jetstream.New(n.JetStream().Conn(), jetstream.WithPublishAsyncMaxPending(1000))
	require.NoError(b, err)
	for i := range b.N {
		_, err := async.PublishMsgAsync(benchTurn(b, i), jetstream.WithStallWait(time.Minute))
		require.NoError(b, err)
	}
	<-async.PublishAsyncComplete()
	b.ResetTimer()
	benchRun(b, n)
	benchAwait(b, n, b.N, nil)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
}

// BenchmarkPipelineLatency reports raw → decision at 200 turns a second.
func BenchmarkPipelineLatency(b *testing.B) {
	n := benchPipeline(b)
	benchRun(b, n)
	sent := make([]time.Time, b.N)
	done := make(chan []time.Duration, 1)
	go func() {
		var latencies []time.Duration
		benchAwait(b, n, b.N, func(i int) { latencies = append(latencies, time.Since(sent[i])) })
		done <- latencies
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for i := range b.N {
		<-tick.C
		sent[i] = time.Now()
		_, err := n.JetStream().PublishMsg(context.Background(), benchTurn(b, i))
		require.NoError(b, err)
	}
	latencies := <-done
	slices.Sort(latencies)
	b.ReportMetric(float64(latencies[len(latencies)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(latencies[len(latencies)*99/100].Microseconds())/1000, "p99-ms")
}

func benchAwait(b *testing.B, n *natsengine.Broker, events int, each func(turn int)) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	reader, err := read.Open(ctx, n, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions})
	require.NoError(b, err)
	defer reader.Close()
	perSession := map[string]int{}
	for found := 0; found < events; {
		a, err := reader.Next(ctx)
		require.NoError(b, err)
		if a.Idle {
			continue
		}
		found++
		if each != nil {
			var session int
			_, err := fmt.Sscanf(a.Input.Event.Subject, "s%d", &session)
			require.NoError(b, err)
			each(session + 200*perSession[a.Input.Event.Subject])
			perSession[a.Input.Event.Subject]++
		}
	}
}
