package terminal

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CO-9b: what is not said is a line in words, without the arithmetic of its urgency.
func TestWhatIsNotSaidInWords(t *testing.T) {
	theme := New(&bytes.Buffer{}, func(string) string { return "" })
	theme.Width = 120
	theme.Words = Words{
		Titles:  map[string]string{"E1": "completion without proof"},
		Reasons: map[string]string{"priming": "in the first turns of the session"},
	}
	shown := func(typ events.Type, reason string) string {
		return theme.FeedAs("shop", events.Event{Type: typ, Data: &sessionevents.Disposition{Detector: "E1", Urgency: 19, Reason: reason}})
	}
	require.Equal(t, "shop  – noted, not said: completion without proof, E1", shown(sessionevents.TypeSignalLogged, "capped at 1.9 by its validator"))
	require.Equal(t, "shop  – not said: completion without proof, E1  it was allowed", shown(sessionevents.TypeSignalSuppressed, "it was allowed"))
	require.Contains(t, shown(sessionevents.TypeSignalSuppressed, "priming"), "in the first turns of the session")
	require.Contains(t, shown(sessionevents.TypeSignalSelfCorrected, ""), "✓ put right by the agent: completion without proof, E1")
	for _, typ := range []events.Type{sessionevents.TypeSignalExpired, sessionevents.TypeSignalCoalesced, sessionevents.TypeSignalUnsent} {
		require.NotContains(t, shown(typ, ""), "1.9")
	}
}
