package stage_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/stagetest"
)

func recorded(t *testing.T) *stagetest.Memory {
	m := stagetest.New(partitions)
	fill(m, 200)
	run(t, m, stagetest.Tally{}, brisk)
	return m
}

func replay(m *stagetest.Memory, machine stagetest.Tally, id step.Identity) error {
	return stage.Replay(context.Background(), machine, id, m, brisk)
}

func TestReplayOfTheSamePast(t *testing.T) {
	require.NoError(t, replay(recorded(t), stagetest.Tally{}, identity))
}

func TestReplayNamesTheFirstDifference(t *testing.T) {
	m := recorded(t)
	m.Change(1, 5, func(message *stage.Message) {
		message.Data = []byte(strings.Replace(string(message.Data), `"turn":`, `"turn":9`, 1))
	})
	m.Change(1, 9, func(message *stage.Message) { message.Subject = "later" })
	var difference *stage.Difference
	require.ErrorAs(t, replay(m, stagetest.Tally{}, identity), &difference)
	require.Equal(t, 1, difference.Partition)
	require.Equal(t, 5, difference.Index)
	require.Equal(t, "data.turn", difference.Field)
	require.Equal(t, "9"+difference.Derived, difference.Recorded)
	require.NotEmpty(t, difference.ID)
}

func TestReplayFindsMissingAndSurplusEvents(t *testing.T) {
	m := recorded(t)
	m.Append(turn("s1", "late", "x"))
	var difference *stage.Difference
	require.ErrorAs(t, replay(m, stagetest.Tally{}, identity), &difference)
	require.Equal(t, "event", difference.Field)
	require.Equal(t, "none", difference.Recorded)

	shorter := recorded(t)
	require.ErrorAs(t, stage.Replay(context.Background(), stagetest.Tally{}, identity, silent{shorter}, brisk), &difference)
	require.Equal(t, "none", difference.Derived)
}

// silent is a recording without its inputs.
type silent struct{ *stagetest.Memory }

func (s silent) Read(ctx context.Context, n int, _ stage.Position) (stage.Reading, error) {
	return s.Memory.Read(ctx, n, stage.Position{Sequence: 1 << 40})
}

func TestReplayUnderOtherRulesSaysSo(t *testing.T) {
	err := replay(recorded(t), stagetest.Tally{}, step.Identity{RulesVersion: "2", ConfigHash: "c"})
	require.ErrorIs(t, err, stage.ErrOtherRules)
	require.ErrorContains(t, err, `rulesversion "1", this replay "2"`)
}
