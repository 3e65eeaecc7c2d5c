package nats_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
)

func TestReplayOfWhatTheBrokerHolds(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, nats.Keys{}, nil)
	var stops []func()
	for _, name := range []string{"ingest", "evaluator"} {
		stops = append(stops, runs(t, b, enginetest.Tally{Name: name}, brisk, nil))
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

	replay := func(name string, machine enginetest.Tally, id step.Identity) error {
		recording, err := source.Recording(ctx, b, name)
		require.NoError(t, err)
		return engine.Replay(ctx, machine, id, recording, engine.Options{Partitions: partitions})
	}
	require.NoError(t, replay("ingest", enginetest.Tally{Name: "ingest"}, identity))
	require.NoError(t, replay("evaluator", enginetest.Tally{Name: "evaluator"}, identity))
	require.ErrorIs(t, replay("evaluator", enginetest.Tally{Name: "evaluator"}, step.Identity{RulesVersion: "2"}), engine.ErrOtherRules)
	var difference *engine.Difference
	require.ErrorAs(t, replay("evaluator", enginetest.Tally{Name: "ingest"}, identity), &difference)
	require.Equal(t, "header ce-id", difference.Field)
}
