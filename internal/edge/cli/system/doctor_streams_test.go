package system

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
)

// The doctor names each broken stream with its kind, and nothing of a healthy system.
func TestDoctorSaysWhatIsWrongWithStreams(t *testing.T) {
	changed := func(as func(*jetstream.StreamConfig)) func(*testing.T, jetstream.JetStream) {
		return func(t *testing.T, js jetstream.JetStream) {
			t.Helper()
			stream, err := js.Stream(t.Context(), "SEGMENTS")
			require.NoError(t, err)
			config := stream.CachedInfo().Config
			as(&config)
			_, err = js.UpdateStream(t.Context(), config)
			require.NoError(t, err)
		}
	}
	for kind, breaks := range map[string]func(*testing.T, jetstream.JetStream){
		"": func(*testing.T, jetstream.JetStream) {},
		"stream_missing": func(t *testing.T, js jetstream.JetStream) {
			t.Helper()
			require.NoError(t, js.DeleteStream(t.Context(), "SEGMENTS"))
		},
		"foreign_stream": func(t *testing.T, js jetstream.JetStream) {
			t.Helper()
			require.NoError(t, js.DeleteStream(t.Context(), "SEGMENTS"))
			_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "SEGMENTS", Subjects: []string{"orders.>"}})
			require.NoError(t, err)
		},
		"read_only": changed(func(c *jetstream.StreamConfig) { c.Sealed = true }),
		"stream_full": func(t *testing.T, js jetstream.JetStream) {
			t.Helper()
			_, err := js.Publish(t.Context(), "turn.segmented.0.g.s", make([]byte, 1<<20))
			require.NoError(t, err)
			changed(func(c *jetstream.StreamConfig) { c.Discard, c.MaxBytes = jetstream.DiscardNew, 1<<20 })(t, js)
		},
		"stream_nearly_full": func(t *testing.T, js jetstream.JetStream) {
			t.Helper()
			_, err := js.Publish(t.Context(), "turn.segmented.0.g.s", make([]byte, 900<<10))
			require.NoError(t, err)
			changed(func(c *jetstream.StreamConfig) { c.Discard, c.MaxBytes = jetstream.DiscardNew, 1<<20 })(t, js)
		},
		"wrong_compression": changed(func(c *jetstream.StreamConfig) {
			if c.Compression == jetstream.S2Compression {
				c.Compression = jetstream.NoCompression
			} else {
				c.Compression = jetstream.S2Compression
			}
		}),
		"consumer_limit": func(t *testing.T, js jetstream.JetStream) {
			t.Helper()
			changed(func(c *jetstream.StreamConfig) { c.MaxConsumers = 1 })(t, js)
			_, err := js.CreateConsumer(t.Context(), "SEGMENTS", jetstream.ConsumerConfig{})
			require.NoError(t, err)
		},
	} {
		t.Run(kind, func(t *testing.T) {
			b, err := nats.Open(natstest.Run(t).Conn, topology.Topology{Partitions: 2}, nats.Keys{}, nil)
			require.NoError(t, err)
			_, err = topology.ProvisionOwn(t.Context(), b.JetStream(), b.Topology())
			require.NoError(t, err)
			breaks(t, b.JetStream())
			lines, attention := checked(t, func(c *checkup) { streams(c, b) })
			if kind == "" {
				require.Zero(t, attention, lines)
				require.Regexp(t, `^ok +streams +\d+, each with a leader and its replicas, and writes are accepted$`, lines[0])
				return
			}
			require.Positive(t, attention, lines)
			require.Regexp(t, `(?m)^WARN +streams +`+kind+`: `, strings.Join(lines, "\n"))
		})
	}
}

// One lost majority is one warning with a count, however many streams miss it; another fault is
// another line.
func TestFaultsOfAKindAreOneWarning(t *testing.T) {
	var all []vitals.Fault
	for i := range 24 {
		all = append(all, vitals.Fault{Kind: vitals.NoQuorum, Text: fmt.Sprintf("stream S%d reaches no majority", i)})
	}
	all = append(
		all, vitals.Fault{Kind: vitals.DiskLow, Text: "little space"}, vitals.Fault{Kind: vitals.ClockOff, Text: "elsewhere"},
		vitals.Fault{Kind: vitals.PermissionDenied, Text: "not for you"},
	)
	lines, attention := checked(t, func(c *checkup) { require.Equal(t, 2, faulty(c, all)) })
	require.Equal(t, 2, attention)
	text := strings.Join(lines, "\n")
	require.Equal(t, 2, strings.Count(text, "WARN"), text)
	require.Regexp(t, `(?m)^WARN +streams +no_quorum: stream S0 reaches no majority\n +and 23 more like it`, text)
	require.Regexp(t, `(?m)^WARN +streams +disk_low: little space$`, text)
	require.NotContains(t, text, "elsewhere")
}
