package nats_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/progress"
)

// backlog sums what waits for a stage and returns the partitions it waits in.
func backlog(t *testing.T, b *natsengine.Broker, stage string) (waiting uint64, in []int, all []progress.Partition) {
	t.Helper()
	all, err := progress.Look(context.Background(), b, stage)
	require.NoError(t, err)
	require.Len(t, all, partitions)
	for _, p := range all {
		waiting += p.Waiting
		if p.Waiting > 0 {
			in = append(in, p.Partition)
		}
	}
	return waiting, in, all
}

// What waits for a stage is counted whoever runs it, or nobody: all of INPUT at
// first, nothing once it was consumed, and again what came after the stage ended.
func TestProgressCountsWhatWaits(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsengine.Keys{}, nil)
	inputs := fill(t, b, "a", 60)
	waiting, _, all := backlog(t, b, "ingest")
	require.EqualValues(t, len(inputs), waiting)
	require.ErrorContains(t, progress.Stalled("ingest", all, 0), "66 messages wait for ingest in partitions ")
	require.NoError(t, progress.Stalled("ingest", all, time.Hour))

	stop := runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
	require.Eventually(t, func() bool { waiting, _, _ := backlog(t, b, "ingest"); return waiting == 0 }, time.Minute, 20*time.Millisecond)
	stop()
	waiting, _, all = backlog(t, b, "evaluator")
	require.NotZero(t, waiting, "the next stage does not run")
	require.ErrorContains(t, progress.Stalled("evaluator", all, 0), "wait for evaluator")

	publish(t, b, turn("s1", "later", "x"))
	waiting, in, all := backlog(t, b, "ingest")
	require.EqualValues(t, 1, waiting)
	require.Len(t, in, 1)
	require.Positive(t, all[in[0]].Age())
	require.False(t, all[in[0]].Committed.IsZero())
}

// A stage whose key its readers do not trust is named, from either side; what it
// writes does not count as waiting for anybody.
func TestProgressNamesAnUntrustedKey(t *testing.T) {
	broker := natstest.Run(t)
	stranger, err := nkeys.CreateUser()
	require.NoError(t, err)
	known, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := known.PublicKey()
	require.NoError(t, err)
	writer := open(t, broker.Conn, natsengine.Keys{Own: stranger}, nil)
	fill(t, writer, "a", 40)
	stop := runs(t, writer, enginetest.Tally{Name: "ingest"}, brisk, nil)
	require.Eventually(t, func() bool { waiting, _, _ := backlog(t, writer, "ingest"); return waiting == 0 }, time.Minute, 20*time.Millisecond)
	stop()

	reader, err := natsengine.Open(broker.Conn, layout, natsengine.Keys{Trusted: map[string][]string{"ingest": {public}, "evaluator": {public}}}, nil)
	require.NoError(t, err)
	_, _, all := backlog(t, reader, "ingest")
	require.ErrorContains(t, progress.Stalled("ingest", all, time.Hour), "the newest checkpoints of ingest are not accepted")
	waiting, _, all := backlog(t, reader, "evaluator")
	require.Zero(t, waiting)
	require.ErrorContains(t, progress.Stalled("evaluator", all, time.Hour), "the newest checkpoints of ingest are not accepted")
	require.ErrorContains(t, progress.Stalled("evaluator", all, time.Hour), "security.trusted_keys")
}
