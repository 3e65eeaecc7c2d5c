package vitals

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

var layout = topology.Topology{Partitions: 2}

// stageWrites is what all services write.
func stageWrites() []Write {
	all := []Write{InputWrite("hook.received"), InputWrite("run.raw"), InputWrite("notification.told")}
	for _, stage := range []string{"ingest", "evaluator", "dispatcher"} {
		all = append(all, StageWrites(stage)...)
	}
	return all
}

func provisioned(t *testing.T) (*natstest.Broker, jetstream.JetStream) {
	t.Helper()
	b := natstest.Run(t)
	js, err := natsengine.JetStream(b.Conn)
	require.NoError(t, err)
	differences, err := topology.ProvisionOwn(t.Context(), js, layout)
	require.NoError(t, err)
	require.Empty(t, differences)
	return b, js
}

func kinds(faults []Fault) map[Kind][]string {
	found := map[Kind][]string{}
	for _, f := range faults {
		found[f.Kind] = append(found[f.Kind], f.Stream)
	}
	return found
}

// A look and the probes find nothing wrong with a healthy system, and the probes leave
// nothing in a stream that is audited.
func TestAHealthySystemHasNoFaultAndKeepsNoProbe(t *testing.T) {
	b, js := provisioned(t)
	for range 3 {
		require.Empty(t, TryWrites(t.Context(), b.Conn, stageWrites()...))
		require.Nil(t, Store(t.Context(), b.Conn, "ingest"))
	}
	found := Look(t.Context(), js, layout)
	require.Empty(t, found.All())
	require.True(t, found.Clock)
	require.Len(t, found.Streams, len(topology.Names(layout)))
	for _, s := range found.Streams {
		require.True(t, s.Leader, s.Name)
		require.Equal(t, 1, s.Current, s.Name)
		stream, err := js.Stream(t.Context(), s.Name)
		require.NoError(t, err)
		state := stream.CachedInfo().State
		if s.Name == "KV_POSITIONS" {
			require.EqualValues(t, 1, state.Msgs, "a probe replaces the one before")
			require.False(t, s.LastWrite.IsZero())
			continue
		}
		require.Zero(t, state.LastSeq, "%s: a probe was stored", s.Name)
	}
}

// change makes one stream other than it must be.
func change(t *testing.T, js jetstream.JetStream, name string, as func(*jetstream.StreamConfig)) {
	t.Helper()
	stream, err := js.Stream(t.Context(), name)
	require.NoError(t, err)
	c := stream.CachedInfo().Config
	as(&c)
	_, err = js.UpdateStream(t.Context(), c)
	require.NoError(t, err)
}

// limit has a stream refuse more than so many bytes or messages.
func limit(t *testing.T, js jetstream.JetStream, name string, bytes, messages int64) {
	t.Helper()
	change(t, js, name, func(c *jetstream.StreamConfig) {
		c.Discard, c.MaxBytes, c.MaxMsgs = jetstream.DiscardNew, bytes, messages
	})
}

func TestEveryKindOfFault(t *testing.T) {
	for name, c := range map[string]struct {
		breaks func(t *testing.T, b *natstest.Broker, js jetstream.JetStream)
		want   map[Kind][]string // of the look
		writes Kind              // of the probe on SEGMENTS
	}{
		"missing": {
			func(t *testing.T, _ *natstest.Broker, js jetstream.JetStream) {
				require.NoError(t, js.DeleteStream(t.Context(), "SEGMENTS"))
			}, map[Kind][]string{StreamMissing: {"SEGMENTS"}}, NoAnswer,
		},
		"foreign": {
			func(t *testing.T, _ *natstest.Broker, js jetstream.JetStream) {
				require.NoError(t, js.DeleteStream(t.Context(), "SEGMENTS"))
				_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "SEGMENTS", Subjects: []string{"orders.>"}})
				require.NoError(t, err)
			}, map[Kind][]string{ForeignStream: {"SEGMENTS"}}, NoAnswer,
		},
		"sealed": {
			func(t *testing.T, _ *natstest.Broker, js jetstream.JetStream) {
				change(t, js, "SEGMENTS", func(c *jetstream.StreamConfig) { c.Sealed = true })
			}, map[Kind][]string{ReadOnly: {"SEGMENTS"}}, ReadOnly,
		},
		"full": {
			func(t *testing.T, b *natstest.Broker, js jetstream.JetStream) {
				_, err := js.Publish(t.Context(), "turn.segmented.0.g.s", make([]byte, 1<<20))
				require.NoError(t, err)
				change(t, js, "SEGMENTS", func(c *jetstream.StreamConfig) { c.Discard, c.MaxBytes = jetstream.DiscardNew, 1<<20 })
			}, map[Kind][]string{StreamFull: {"SEGMENTS"}}, "",
		},
		"nearly full": {
			func(t *testing.T, _ *natstest.Broker, js jetstream.JetStream) {
				_, err := js.Publish(t.Context(), "turn.segmented.0.g.s", make([]byte, 850<<10))
				require.NoError(t, err)
				limit(t, js, "SEGMENTS", 1<<20, -1)
			}, map[Kind][]string{StreamNearlyFull: {"SEGMENTS"}}, "",
		},
		"with room": {
			func(t *testing.T, _ *natstest.Broker, js jetstream.JetStream) {
				_, err := js.Publish(t.Context(), "turn.segmented.0.g.s", make([]byte, 780<<10))
				require.NoError(t, err)
				limit(t, js, "SEGMENTS", 1<<20, -1)
			}, map[Kind][]string{}, "",
		},
		"nearly full of messages": {
			func(t *testing.T, _ *natstest.Broker, js jetstream.JetStream) {
				for range 9 {
					_, err := js.Publish(t.Context(), "turn.raw.g.s", []byte("{}"))
					require.NoError(t, err)
				}
				change(t, js, "INPUT", func(c *jetstream.StreamConfig) { c.MaxMsgs = 10 })
			}, map[Kind][]string{StreamNearlyFull: {"INPUT"}}, "",
		},
		"full of messages": {
			func(t *testing.T, _ *natstest.Broker, js jetstream.JetStream) {
				for range 10 {
					_, err := js.Publish(t.Context(), "turn.segmented.0.g.s", []byte("{}"))
					require.NoError(t, err)
				}
				limit(t, js, "SEGMENTS", -1, 10)
			}, map[Kind][]string{StreamFull: {"SEGMENTS"}}, "",
		},
		"consumers": {
			func(t *testing.T, _ *natstest.Broker, js jetstream.JetStream) {
				change(t, js, "SEGMENTS", func(c *jetstream.StreamConfig) { c.MaxConsumers = 1 })
				_, err := js.CreateConsumer(t.Context(), "SEGMENTS", jetstream.ConsumerConfig{})
				require.NoError(t, err)
				_, err = js.CreateConsumer(t.Context(), "SEGMENTS", jetstream.ConsumerConfig{})
				require.ErrorContains(t, Explained(err), "consumer_limit: ", "what a stage says that cannot read")
			}, map[Kind][]string{ConsumerLimit: {"SEGMENTS"}}, "",
		},
		"compression": {
			func(t *testing.T, _ *natstest.Broker, js jetstream.JetStream) {
				change(t, js, "SEGMENTS", func(c *jetstream.StreamConfig) {
					c.Compression = map[jetstream.StoreCompression]jetstream.StoreCompression{
						jetstream.NoCompression: jetstream.S2Compression, jetstream.S2Compression: jetstream.NoCompression,
					}[c.Compression]
				})
			}, map[Kind][]string{WrongCompression: {"SEGMENTS"}}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, js := provisioned(t)
			c.breaks(t, b, js)
			found := Look(t.Context(), js, layout)
			require.Equal(t, c.want, kinds(found.All()), "%v", found.All())
			tried := TryWrites(t.Context(), b.Conn, stageWrites()...)
			if c.writes == "" {
				require.Empty(t, tried)
				return
			}
			require.Equal(t, map[Kind][]string{c.writes: {"SEGMENTS"}}, kinds(tried), "%v", tried)
		})
	}
}

// A missing stream whose subjects another one has is explained.
func TestAStreamWithOurSubjectsIsNamed(t *testing.T) {
	_, js := provisioned(t)
	require.NoError(t, js.DeleteStream(t.Context(), "SIGNALS"))
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "METRICS", Subjects: []string{"ckpt.evaluator.>"}})
	require.NoError(t, err)
	faults := Look(t.Context(), js, layout, "SIGNALS").All()
	require.Len(t, faults, 1)
	require.ErrorContains(t, faults[0], "stream_missing: the stream SIGNALS does not exist, and the stream METRICS has its subject ckpt.evaluator.>")
}

// More replicas are wanted than there are.
func TestReplicasThatAreNotThereAreNamed(t *testing.T) {
	_, js := provisioned(t)
	faults := Look(t.Context(), js, topology.Topology{Partitions: 2, Replicas: 3}, "INPUT").All()
	require.Contains(t, kinds(faults), WrongReplicas)
	for _, f := range faults {
		require.True(t, f.Degraded(), "one replica works: %v", f)
	}
}

// Without a server nothing answers, and a look ends nonetheless.
func TestALookEndsWhereNobodyAnswers(t *testing.T) {
	b, js := provisioned(t)
	b.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, s := range Look(ctx, js, layout).Streams {
		require.NotEmpty(t, s.Faults, s.Name)
		require.False(t, s.Leader)
	}
	require.Len(t, TryWrites(ctx, b.Conn, stageWrites()...), len(stageWrites()))
	require.NotNil(t, Store(ctx, b.Conn, "ingest"))
}

func TestRoom(t *testing.T) {
	require.Nil(t, Room(2<<30, 100<<30, true))
	require.Equal(t, DiskLow, Room(100<<20, 100<<30, false).Kind)
	require.Equal(t, DiskFull, Room(0, 100<<30, true).Kind)
	require.Nil(t, Room(90<<20, 100<<20, true), "a small disk that is nearly empty")
}

func TestOnlyServersWithAtomicBatchesWillDo(t *testing.T) {
	for version, will := range map[string]bool{"2.12.0": true, "2.15.2": true, "3.0.0": true, "2.11.9": false, "2.9.21": false, "": false, "x": false} {
		require.Equal(t, will, AtomicBatches(version), version)
	}
}
