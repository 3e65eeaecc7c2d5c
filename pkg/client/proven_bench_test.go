package client_test

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// BenchmarkProof reports what a decision costs its reader, with the proof that it
// lies in a batch and without: of one run, a batch each.
func BenchmarkProof(b *testing.B) {
	server, err := startBroker()
	require.NoError(b, err)
	b.Cleanup(server.remove)
	conn, err := server.connect()
	require.NoError(b, err)
	b.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(b, err)
	require.NoError(b, provision(b.Context(), js))
	const decisions = 2000
	for i := range decisions {
		require.NoError(b, decide(b.Context(), js, fired("r", "s", fmt.Sprint("i", i))))
	}
	b.Run("proven", func(b *testing.B) {
		s, err := client.NewSubscriber(conn, client.SubscriberOptions{})
		require.NoError(b, err)
		for range b.N {
			n := 0
			for _, err := range s.Interrupts(b.Context(), client.Filter{Run: "r"}, client.Start{All: true}) {
				require.NoError(b, err)
				if n++; n == decisions {
					break
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*decisions), "µs/decision")
	})
	b.Run("raw", func(b *testing.B) {
		for range b.N {
			consumer, err := js.OrderedConsumer(b.Context(), "DECISIONS", jetstream.OrderedConsumerConfig{FilterSubjects: []string{subjects.RunFilter(sessionevents.TypeInterruptFired, "r")}})
			require.NoError(b, err)
			messages, err := consumer.Messages()
			require.NoError(b, err)
			for range decisions {
				m, err := messages.Next()
				require.NoError(b, err)
				_, err = events.DecodeMessage(m.Headers(), m.Data())
				require.NoError(b, err)
			}
			messages.Stop()
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*decisions), "µs/decision")
	})
}
