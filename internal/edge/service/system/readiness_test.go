package system

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// everyService is what runs in production, each with an HTTP interface of its own.
var everyService = []string{"ingest", "evaluator", "dispatcher", "reporter"}

// running are services by name, with the addresses of their HTTP interfaces.
type running map[string]string

// runServices runs services against a broker until the test ends.
func runServices(t *testing.T, url string, replicas int, names ...string) running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, len(names))
	addresses := natstest.FreeAddresses(t, len(names))
	list := running{}
	for i, name := range names {
		c := config.Default()
		c.NATS.URL, c.HTTP.Address = url, addresses[i]
		c.Streams.Partitions, c.Streams.Replicas = 2, replicas
		list[name] = addresses[i]
		go func() {
			done <- service.Run(ctx, service.Options{Services: Services(name), Config: c, Log: slog.New(slog.DiscardHandler)})
		}()
	}
	t.Cleanup(func() {
		stop()
		for range names {
			require.NoError(t, <-done)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return list
}

// get returns the status and the body of a path of a service; 0 while nobody answers.
func (r running) get(t *testing.T, name, path string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+r[name]+path, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

// await waits until every service answers with a status and a body that contains one of
// some words.
func (r running) await(t *testing.T, path string, status int, words ...string) {
	t.Helper()
	for name := range r {
		var got int
		var body string
		there := func() bool {
			got, body = r.get(t, name, path)
			return got == status && (len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return strings.Contains(body, word) }))
		}
		for end := time.Now().Add(5 * time.Minute); !there(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: want %d with one of %q, the last answer is %d %s", name, status, words, got, body)
			}
		}
	}
}

// A write that would fail makes every service not ready, the reporter and the evaluator
// too, which write nothing at the time; a lost replica is worth a warning first.
func TestEveryServiceKnowsOfALostQuorum(t *testing.T) {
	proofs.NeedsFull(t, "a cluster loses servers and gets them back")
	cluster := natstest.RunCluster(t)
	services := runServices(t, cluster.URL(), 3, everyService...)
	services.await(t, "/readyz", http.StatusOK)

	cluster.Stop(2)
	services.await(t, "/readyz?exclude=replicas", http.StatusOK, "replica_behind: ")
	cluster.Stop(1)
	services.await(t, "/readyz", http.StatusServiceUnavailable, "no_quorum: ", "no_leader: ", "no_answer: ")
	cluster.Start(1, 2)
	services.await(t, "/readyz", http.StatusOK)
	evaluator := running{"evaluator": services["evaluator"]}
	evaluator.await(t, "/metrics", http.StatusOK, `scaffoldwatch_stream_leader{stream="SEGMENTS"} 1`)
	evaluator.await(t, "/metrics", http.StatusOK, `scaffoldwatch_stream_replicas_current{stream="SIGNALS"} 3`)
}

// What breaks a stream of one server shows in each service that uses it, in /readyz and
// in the metrics.
func TestBrokenStreamsShow(t *testing.T) {
	update := func(as func(*jetstream.StreamConfig)) func(*testing.T, jetstream.JetStream) {
		return func(t *testing.T, js jetstream.JetStream) {
			stream, err := js.Stream(t.Context(), "SEGMENTS")
			require.NoError(t, err)
			c := stream.CachedInfo().Config
			as(&c)
			_, err = js.UpdateStream(t.Context(), c)
			require.NoError(t, err)
		}
	}
	for kind, c := range map[string]struct {
		status int
		breaks func(*testing.T, jetstream.JetStream)
	}{
		"stream_missing": {http.StatusServiceUnavailable, func(t *testing.T, js jetstream.JetStream) {
			require.NoError(t, js.DeleteStream(t.Context(), "SEGMENTS"))
		}},
		"foreign_stream": {http.StatusServiceUnavailable, func(t *testing.T, js jetstream.JetStream) {
			require.NoError(t, js.DeleteStream(t.Context(), "SEGMENTS"))
			_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "SEGMENTS", Subjects: []string{"orders.>"}})
			require.NoError(t, err)
		}},
		"read_only":      {http.StatusServiceUnavailable, update(func(c *jetstream.StreamConfig) { c.Sealed = true })},
		"consumer_limit": {http.StatusServiceUnavailable, update(func(c *jetstream.StreamConfig) { c.MaxConsumers = 1 })},
		"stream_full": {http.StatusServiceUnavailable, func(t *testing.T, js jetstream.JetStream) {
			_, err := js.Publish(t.Context(), "turn.segmented.9.g.s", make([]byte, 1<<20)) // of no partition
			require.NoError(t, err)
			update(func(c *jetstream.StreamConfig) { c.Discard, c.MaxBytes = jetstream.DiscardNew, 1<<20 })(t, js)
		}},
		"wrong_compression": {http.StatusOK, update(func(c *jetstream.StreamConfig) {
			if c.Compression++; c.Compression > jetstream.S2Compression {
				c.Compression = jetstream.NoCompression
			}
		})},
	} {
		t.Run(kind, func(t *testing.T) {
			if kind != "read_only" {
				proofs.NeedsFull(t, "each starts a system; the kinds are tested in package vitals")
			}
			t.Parallel()
			broker := natstest.Run(t)
			services := runServices(t, broker.URL, 1, "ingest", "evaluator")
			services.await(t, "/readyz", http.StatusOK)
			js, err := jetstream.New(broker.Conn)
			require.NoError(t, err)
			c.breaks(t, js)
			services.await(t, "/readyz", c.status, kind+": ")
			// The stage may say so before the streams are looked at.
			services.await(t, "/metrics", http.StatusOK, fmt.Sprintf(`scaffoldwatch_faults{kind=%q,stream="SEGMENTS"} 1`, kind))
		})
	}
}

// Fewer replicas than are configured do no harm yet; /readyz says so.
func TestMissingReplicasAreAWarning(t *testing.T) {
	broker := natstest.Run(t)
	js, err := jetstream.New(broker.Conn)
	require.NoError(t, err)
	_, err = topology.Provision(t.Context(), js, topology.Topology{Partitions: 2})
	require.NoError(t, err)
	services := runServices(t, broker.URL, 3, "evaluator")
	services.await(t, "/readyz", http.StatusOK, "warning: wrong_replicas: ")
	_, body := services.get(t, "evaluator", "/readyz")
	var checks map[string]string
	require.NoError(t, json.Unmarshal([]byte(body), &checks))
	require.Equal(t, "ok", checks["streams"])
	require.Equal(t, "ok", checks["writes"])
}

// While nothing happens a service stores one probe after the other in POSITIONS, and
// nothing in the streams that are audited.
func TestProbesLeaveNothingBehind(t *testing.T) {
	broker := natstest.Run(t)
	services := runServices(t, broker.URL, 1, "ingest", "evaluator", "dispatcher")
	services.await(t, "/readyz", http.StatusOK)
	js, err := jetstream.New(broker.Conn)
	require.NoError(t, err)
	bucket, err := js.Stream(t.Context(), "KV_POSITIONS")
	require.NoError(t, err)
	for _, stage := range []string{"ingest", "evaluator", "dispatcher"} {
		require.Eventually(t, func() bool {
			_, err := bucket.GetLastMsgForSubject(t.Context(), "$KV.POSITIONS.alive."+stage)
			return err == nil
		}, 5*time.Minute, 20*time.Millisecond, stage)
	}
	for _, name := range []string{"INPUT", "TIMERS", "SEGMENTS", "SIGNALS", "DECISIONS"} {
		stream, err := js.Stream(t.Context(), name)
		require.NoError(t, err)
		info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter(">"))
		require.NoError(t, err)
		for subject := range info.State.Subjects {
			require.NotContains(t, subject, "probe", name)
		}
	}
}
