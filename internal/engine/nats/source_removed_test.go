package nats_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// A replay finds the events whose input an administrator of the broker removed, also the last
// one of a partition, after which nothing comes. A message that its stage had not consumed
// leaves no trace (AU-1).
func TestReplayAfterInputWasRemoved(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, nats.Keys{}, nil)
	stop := runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
	for _, id := range []string{"first", "second", "third"} {
		publish(t, b, turn("s1", id, id))
	}
	accepted(t, b, "ingest", 3)
	stop()
	publish(t, b, turn("s1", "fourth", "not yet consumed"))
	publish(t, b, turn("s1", "fifth", "not yet consumed"))

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	rederived := func() engine.Rederived {
		recording, err := source.Recording(ctx, b, "ingest")
		require.NoError(t, err)
		got, err := engine.Rederive(ctx, enginetest.Tally{Name: "ingest"}, identity, recording, nil, engine.Options{Partitions: partitions})
		require.NoError(t, err)
		return got
	}
	input, err := b.JetStream().Stream(ctx, string(events.StreamInput))
	require.NoError(t, err)

	require.NoError(t, input.DeleteMsg(ctx, 4))
	got := rederived()
	require.Equal(t, 3, got.Same)
	require.Empty(t, got.First)

	require.NoError(t, input.DeleteMsg(ctx, 5))
	require.NoError(t, input.DeleteMsg(ctx, 3))
	got = rederived()
	require.Equal(t, 2, got.Same)
	require.Len(t, got.First, 1)
	require.NotEmpty(t, got.First[0].Was)
	require.Empty(t, got.First[0].Is)
	require.Equal(t, "third", got.First[0].Cause)

	require.NoError(t, input.DeleteMsg(ctx, 1))
	got = rederived()
	require.Len(t, got.First, 1)
	require.Empty(t, got.Other)

	require.NoError(t, input.DeleteMsg(ctx, 2))
	got = rederived()
	require.Zero(t, got.Same)
	require.Len(t, got.First, 1)
}

// The stage after one whose last batch was removed has nothing more to read.
func TestReplayAfterTheEndOfItsSourceWasRemoved(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, nats.Keys{}, nil)
	for _, name := range []string{"ingest", "evaluator"} {
		stop := runs(t, b, enginetest.Tally{Name: name}, brisk, nil)
		if name == "ingest" {
			publish(t, b, turn("s1", "first", "first"))
			accepted(t, b, name, 1)
			publish(t, b, turn("s1", "second", "second"))
		}
		accepted(t, b, name, 2)
		stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	segments, err := b.JetStream().Stream(ctx, string(events.StreamSegments))
	require.NoError(t, err)
	second, err := segments.GetLastMsgForSubject(ctx, "segments.turn.evaluated.>")
	require.NoError(t, err)
	for at := second.Sequence; at <= segments.CachedInfo().State.LastSeq; at++ {
		if err := segments.DeleteMsg(ctx, at); !errors.Is(err, jetstream.ErrMsgNotFound) { // a replaced snapshot
			require.NoError(t, err)
		}
	}
	recording, err := source.Recording(ctx, b, "evaluator")
	require.NoError(t, err)
	got, err := engine.Rederive(ctx, enginetest.Tally{Name: "evaluator"}, identity, recording, nil, engine.Options{Partitions: partitions})
	require.NoError(t, err)
	require.Equal(t, 1, got.Same)
	require.Len(t, got.First, 1)
}
