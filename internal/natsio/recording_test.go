package natsio_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/stagetest"
)

func TestReplayOfWhatTheBrokerHolds(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsio.Keys{}, nil)
	var stops []func()
	for _, name := range []string{"ingest", "evaluator"} {
		stops = append(stops, runs(t, b, stagetest.Tally{Name: name}, brisk, nil))
	}
	fill(t, b, "t", 200)
	publish(t, b, turn("s1", "bad", "error please"))
	inputs := fill(t, b, "u", 50)
	require.NotEmpty(t, inputs)
	ctx := context.Background()
	// 200 turns and the failed one in ingest, the same again in evaluator.
	accepted(t, b, "evaluator", 251)
	for _, stop := range stops {
		stop()
	}
	publish(t, b, turn("s1", "later", "not yet read"))

	replay := func(name string, machine stagetest.Tally, id step.Identity) error {
		recording, err := b.Recording(ctx, name)
		require.NoError(t, err)
		return stage.Replay(ctx, machine, id, recording, stage.Options{Partitions: partitions})
	}
	require.NoError(t, replay("ingest", stagetest.Tally{Name: "ingest"}, identity))
	require.NoError(t, replay("evaluator", stagetest.Tally{Name: "evaluator"}, identity))
	require.ErrorIs(t, replay("evaluator", stagetest.Tally{Name: "evaluator"}, step.Identity{RulesVersion: "2"}), stage.ErrOtherRules)
	var difference *stage.Difference
	require.ErrorAs(t, replay("evaluator", stagetest.Tally{Name: "ingest"}, identity), &difference)
	require.Equal(t, "header ce-id", difference.Field)
}
