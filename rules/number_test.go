package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumberIsFoundByItsNames(t *testing.T) {
	for _, name := range []string{"dispatch.thresholds.fire", "session.fire", "session.thresholds.fire"} {
		path, value, err := Default().Number(name)
		require.NoError(t, err, name)
		require.Equal(t, "dispatch.thresholds.fire", path)
		require.InDelta(t, 4.0, value, 0)
	}
	for name, problem := range map[string]string{
		"fire":                     "is not a setting",
		"session.fires":            `did you mean "fire"?`,
		"dispatch.thresholds.fier": "allowed are: fire, queue",
		"dispatch.mode":            "is not a number",
		"nothing.at.all":           "no section",
	} {
		_, _, err := Default().Number(name)
		require.ErrorContains(t, err, problem, name)
	}
}

// A replaced number is what a user's file would have said, beside what it says already.
func TestWithReplacesOneNumber(t *testing.T) {
	ours, err := Load("ours.yaml", []byte("dispatch: {budget: 5}\nrefetch:\n  window_turns: 9\n"))
	require.NoError(t, err)
	moved, err := ours.With("session.fire", 3.5)
	require.NoError(t, err)
	differences, err := Differences(ours, moved)
	require.NoError(t, err)
	require.Equal(t, []Difference{{Path: "dispatch.thresholds.fire", Was: "4.0", Is: "3.5"}}, differences)
	same, err := ours.With("session.fire", 4)
	require.NoError(t, err)
	require.Same(t, ours, same)

	written, err := Load("written.yaml", []byte("dispatch: {budget: 5, thresholds: {fire: 3.5}}\nrefetch:\n  window_turns: 9\n"))
	require.NoError(t, err)
	differences, err = Differences(moved, written)
	require.NoError(t, err)
	require.Empty(t, differences)

	differences, err = Differences(Default(), moved)
	require.NoError(t, err)
	require.Len(t, differences, 3)
}

// Every number that is shipped can be moved.
func TestEveryNumberCanBeReplaced(t *testing.T) {
	count := 0
	for _, section := range Default().Sections() {
		values, err := Default().Values(section)
		require.NoError(t, err)
		for path := range values {
			if _, value, err := Default().Number(path); err == nil {
				count++
				moved, err := Default().With(path, value+1)
				require.NoError(t, err, path)
				_, is, err := moved.Number(path)
				require.NoError(t, err, path)
				require.InDelta(t, value+1, is, 0, path)
			}
		}
	}
	require.Greater(t, count, 200)
}
