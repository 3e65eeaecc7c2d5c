package topology_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

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
