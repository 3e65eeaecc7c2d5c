package topology_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// A stream with replicas is never compressed: its servers could not read it again after
// a crash. One with a single copy is, where it holds text.
func TestOnlySingleCopiesAreCompressed(t *testing.T) {
	intakes := []topology.Intake{{Account: "SHOP", Messages: 10, Window: time.Minute}}
	for replicas, want := range map[int][]string{1: {"INTAKE_SHOP", "INPUT", "SEGMENTS"}, 3: nil, 5: nil} {
		streams := topology.Topology{Replicas: replicas, Intakes: intakes}
		var compressed []string
		for _, s := range append(streams.Streams(), streams.Copies()...) {
			if s.Compression != jetstream.NoCompression {
				compressed = append(compressed, s.Name)
			}
		}
		require.Equal(t, want, compressed, "%d replicas", replicas)
	}
}

// Compression is taken off streams of an earlier version, and off one that gets replicas.
// Servers read the setting when they start only, so each that was not restarted is named.
func TestCompressionIsTakenOff(t *testing.T) {
	ctx := context.Background()
	cluster := natstest.RunCluster(t)
	js, err := nats.JetStream(cluster.Connect())
	require.NoError(t, err)
	replicated := topology.Topology{Partitions: 4, Replicas: 3}
	for _, s := range replicated.Streams() {
		switch s.Name {
		case "INPUT":
			s.Compression = jetstream.S2Compression
		case "SEGMENTS":
			s.Compression, s.Replicas, s.AllowDirect = jetstream.S2Compression, 1, true
		}
		require.Eventually(t, func() bool { _, err = js.CreateOrUpdateStream(ctx, s); return err == nil }, 60*time.Second, 100*time.Millisecond, "%v", err)
	}
	differences, err := topology.Check(ctx, js, replicated)
	require.NoError(t, err)
	require.Contains(t, lines(differences), "INPUT: compression is S2, wanted None")

	changed := []string{"INPUT", "SEGMENTS"}
	require.Eventually(t, func() bool { _, err = topology.Apply(ctx, js, replicated); return err == nil }, 60*time.Second, 100*time.Millisecond, "%v", err)
	for i, servers := range []string{"n0, n1, n2", "n1, n2", "n2", ""} {
		if i > 0 {
			cluster.Restart(i - 1)
		}
		var got []topology.Difference
		require.Eventually(t, func() bool {
			if got, err = topology.Check(ctx, js, replicated); err != nil {
				return false
			}
			for _, name := range changed {
				line := name + ": compression is taken off, but " + servers + " still compress until each is restarted (one at a time, with SIGTERM; docs/operations.md), wanted none"
				if slices.Contains(lines(got), line) != (servers != "") {
					return false
				}
			}
			return servers != "" || !slices.ContainsFunc(got, func(d topology.Difference) bool { return d.Field == "compression" })
		}, 30*time.Second, 100*time.Millisecond, "after %d restarts: %v %v", i, got, err)
	}
}

func lines(differences []topology.Difference) []string {
	var all []string
	for _, d := range differences {
		all = append(all, d.String())
	}
	return all
}
