package nats_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// lossy is a consumer that skips messages.
type lossy struct {
	read.Messages
	over func(subject string, sequence uint64) bool
}

func (l lossy) Next(ctx context.Context) (proof.Message, error) {
	for {
		m, err := l.Messages.Next(ctx)
		if err != nil || !l.over(m.Subject, m.Sequence) {
			return m, err
		}
	}
}

// EV-6: what a consumer skips is read all the same, as a checkpoint accounts for it.
func TestWhatAConsumerSkipsIsRead(t *testing.T) {
	broker := natstest.Run(t)
	skipped := &heard{}
	b := open(t, broker.Conn, natsengine.Keys{}, skipped)
	inputs := fill(t, b, "a", 120)
	o := brisk
	o.MaxInputs = 4
	stop := runs(t, b, enginetest.Tally{Name: "ingest"}, o, nil)
	want := accepted(t, b, "ingest", count(model(t, inputs, "ingest")))
	stop()

	checkpoint := func(subject string) bool { return strings.HasPrefix(subject, "ckpt.") }
	seen := 0
	for name, over := range map[string]func(subject string, sequence uint64) bool{
		"nothing":                 func(string, uint64) bool { return false },
		"every third message":     func(_ string, sequence uint64) bool { return sequence%3 == 0 },
		"every event":             func(subject string, _ uint64) bool { return !checkpoint(subject) },
		"every second checkpoint": func(subject string, _ uint64) bool { seen++; return checkpoint(subject) && seen%2 == 0 },
		"all but the end":         func(string, uint64) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			for p := range partitions {
				feed, err := read.Follow(t.Context(), b, events.StreamSegments, read.PartitionFilters(events.StreamSegments, p), 1)
				require.NoError(t, err)
				end := lastCheckpoint(t, b, p) // by which the others are found
				skipping := lossy{feed, func(subject string, sequence uint64) bool { return sequence != end && over(subject, sequence) }}
				reader, err := read.Open(t.Context(), b, read.Options{Stage: "ingest", Partition: p, From: skipping})
				require.NoError(t, err)
				var got []string
				for len(got) < len(want[p]) {
					a, err := reader.Next(t.Context())
					require.NoError(t, err)
					if !a.Idle {
						got = append(got, line(t, a.Input.Event))
					}
				}
				reader.Close()
				require.Equal(t, want[p], got)
			}
			require.Empty(t, skipped.all())
		})
	}
}

func lastCheckpoint(t *testing.T, b *natsengine.Broker, partition int) uint64 {
	t.Helper()
	stream, err := b.JetStream().Stream(t.Context(), "SEGMENTS")
	require.NoError(t, err)
	m, err := stream.GetLastMsgForSubject(t.Context(), fmt.Sprintf("ckpt.ingest.%d", partition))
	require.NoError(t, err)
	return m.Sequence
}
