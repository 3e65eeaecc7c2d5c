package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
)

func recorded(t *testing.T) *enginetest.Memory {
	m := enginetest.New(partitions)
	fill(m, 200)
	run(t, m, enginetest.Tally{}, brisk)
	return m
}

func replay(m *enginetest.Memory, machine enginetest.Tally, id step.Identity) error {
	return engine.Replay(context.Background(), machine, id, m, brisk)
}

func TestReplayOfTheSamePast(t *testing.T) {
	require.NoError(t, replay(recorded(t), enginetest.Tally{}, identity))
}

func TestReplayNamesTheFirstDifference(t *testing.T) {
	m := recorded(t)
	m.Change(1, 5, func(message *engine.Message) {
		message.Data = []byte(strings.Replace(string(message.Data), `"turn":`, `"turn":9`, 1))
	})
	m.Change(1, 9, func(message *engine.Message) { message.Subject = "later" })
	var difference *engine.Difference
	require.ErrorAs(t, replay(m, enginetest.Tally{}, identity), &difference)
	require.Equal(t, 1, difference.Partition)
	require.Equal(t, 5, difference.Index)
	require.Equal(t, "data.turn", difference.Field)
	require.Equal(t, "9"+difference.Derived, difference.Recorded)
	require.NotEmpty(t, difference.ID)
}

func TestReplayFindsMissingAndSurplusEvents(t *testing.T) {
	m := recorded(t)
	m.Append(turn("s1", "late", "x"))
	var difference *engine.Difference
	require.ErrorAs(t, replay(m, enginetest.Tally{}, identity), &difference)
	require.Equal(t, "event", difference.Field)
	require.Equal(t, "none", difference.Recorded)

	shorter := recorded(t)
	require.ErrorAs(t, engine.Replay(context.Background(), enginetest.Tally{}, identity, silent{shorter}, brisk), &difference)
	require.Equal(t, "none", difference.Derived)
}

// silent is a recording without its inputs.
type silent struct{ *enginetest.Memory }

func (s silent) Read(ctx context.Context, n int, _ engine.Position) (engine.Reading, error) {
	return s.Memory.Read(ctx, n, engine.Position{Sequence: 1 << 40})
}

func TestReplayUnderOtherRulesSaysSo(t *testing.T) {
	err := replay(recorded(t), enginetest.Tally{}, step.Identity{RulesVersion: "2", ConfigHash: "c"})
	require.ErrorIs(t, err, engine.ErrOtherRules)
	require.ErrorContains(t, err, `rulesversion "1", this replay "2"`)
}
