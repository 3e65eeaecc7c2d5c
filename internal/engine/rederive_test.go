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

func rederive(t *testing.T, recording engine.Recording, id step.Identity) engine.Rederived {
	t.Helper()
	result, err := engine.Rederive(context.Background(), enginetest.Tally{}, id, recording, nil, brisk)
	require.NoError(t, err)
	return result
}

func TestRederiveComparesEachGroup(t *testing.T) {
	m := recorded(t)
	clean := rederive(t, m.recording(), identity)
	require.Empty(t, clean.First)
	require.Empty(t, clean.Other)
	require.Greater(t, clean.Groups, 3)
	require.Greater(t, clean.Same, 100)

	// One event changed, and another of a group that is then not compared further.
	lie := lying{m.recording(), map[int]func(*engine.Message){
		5: func(message *engine.Message) {
			message.Data = []byte(strings.Replace(string(message.Data), `"turn":`, `"turn":9`, 1))
		},
	}}
	result := rederive(t, lie, identity)
	require.Len(t, result.First, 1)
	first := result.First[0]
	require.Equal(t, "data.turn", first.Field)
	require.Equal(t, "9"+first.Derived, first.Recorded)
	require.Equal(t, 1, first.Partition)
	require.NotEmpty(t, first.Cause)
	require.NotEmpty(t, first.Group)
	require.Equal(t, "turn.evaluated", first.Type)
	require.Contains(t, string(first.Was), `"turn":9`)
	require.NotEqual(t, string(first.Was), string(first.Is))
	require.Equal(t, clean.Groups, result.Groups, "the other groups are compared to their end")

	only := rederive(t, engine.Only(lie, first.Group, 1), identity)
	require.Equal(t, result.First, only.First)
	require.Equal(t, 1, only.Groups)
}

func TestRederiveFindsMissingAndSurplusEvents(t *testing.T) {
	m := recorded(t)
	m.in.Append(turn("s1", "late", "x"))
	result := rederive(t, m.recording(), identity)
	require.Len(t, result.First, 1)
	require.Equal(t, "s1", result.First[0].Group)
	require.Equal(t, "none", result.First[0].Recorded)
	require.Equal(t, "late", result.First[0].Cause)

	shorter := recorded(t)
	result = rederive(t, silent{shorter.recording()}, identity)
	require.Len(t, result.First, result.Groups)
	require.Equal(t, "none", result.First[0].Derived)
}

func TestRederiveUnderOtherRulesComparesNothing(t *testing.T) {
	result := rederive(t, recorded(t).recording(), step.Identity{RulesVersion: "2", ConfigHash: "c"})
	require.Empty(t, result.First)
	require.Equal(t, []engine.OtherRules{{Rules: "1", Config: "c", Groups: result.Groups}}, result.Other)
}
