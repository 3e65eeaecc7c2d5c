package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
)

// The digest of the state before a difference is that of the inputs before it alone: the same
// each time, and another one before the next input of the group.
func TestStateBeforeADifference(t *testing.T) {
	m := recorded(t)
	lie := lying{m.recording(), map[int]func(*engine.Message){
		5: func(message *engine.Message) {
			message.Data = []byte(strings.Replace(string(message.Data), `"turn":`, `"turn":9`, 1))
		},
	}}
	first := rederive(t, lie, identity).First[0]
	digest := func(of engine.Departure) string {
		sum, err := engine.StateBefore(t.Context(), enginetest.Tally{}, identity, m.recording(), of, brisk)
		require.NoError(t, err)
		return sum
	}
	require.Len(t, digest(first), 64)
	require.Equal(t, digest(first), digest(first))
	causes := map[string]bool{}
	for message, err := range m.recording().Written(t.Context(), first.Partition) {
		require.NoError(t, err)
		if strings.Contains(message.Subject, "."+first.Group+".") {
			causes[message.Header["ce-causationid"][0]] = true
		}
	}
	seen := map[string]bool{}
	for cause := range causes {
		of := first
		of.Cause = cause
		seen[digest(of)] = true
	}
	require.Greater(t, len(seen), 3, "each input changes the state")
	first.Cause = "no such input"
	require.Empty(t, digest(first))
}
