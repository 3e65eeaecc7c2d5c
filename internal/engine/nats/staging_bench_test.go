package nats_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	"github.com/synadia-io/orbit.go/jetstreamext"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// BenchmarkAtomicBatch reports how long one atomic batch takes, every write
// synced, with the server's staging directory on disk and in memory: the figures
// in the comment of package embedded.
func BenchmarkAtomicBatch(b *testing.B) {
	for _, place := range []string{"disk", "memory"} {
		for _, size := range []int{2, 20, 200} {
			b.Run(fmt.Sprintf("%s/%d", place, size), func(b *testing.B) {
				broker := natstest.RunWith(b, embedded.Options{Dir: b.TempDir(), Port: -1})
				n, err := natsengine.Open(broker.Conn, topology.Topology{}, natsengine.Keys{}, nil)
				require.NoError(b, err)
				_, err = topology.ProvisionOwn(context.Background(), n.JetStream(), n.Topology())
				require.NoError(b, err)
				if place == "memory" {
					broker.StageInMemory()
				}
				data := []byte(strings.Repeat("x", 1000))
				var took []time.Duration
				for i := range b.N {
					var batch []*nats.Msg
					for k := range size {
						m := nats.NewMsg(fmt.Sprintf("skip.ingest.%d.s%d", i%16, k))
						m.Data = data
						batch = append(batch, m)
					}
					began := time.Now()
					_, err := jetstreamext.PublishMsgBatch(context.Background(), n.JetStream(), batch, jetstreamext.BatchFlowControl{AckTimeout: time.Minute})
					require.NoError(b, err)
					took = append(took, time.Since(began))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(took[len(took)*9/10].Microseconds())/1000, "p90-ms")
			})
		}
	}
}
