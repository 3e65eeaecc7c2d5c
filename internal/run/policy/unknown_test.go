package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// EV-3a: a word that nobody knows is warned about once and read as the worse.
func TestUnknownWords(t *testing.T) {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{Kind: "nightly"})
	for n := range 3 {
		out := p.feed(agent("so-so"))
		warnings := of[runevents.WarningIssued](out)
		if n > 0 {
			require.Empty(t, warnings, "once")
			continue
		}
		require.Len(t, warnings, 1)
		require.Equal(t, CodeUnknownValue, warnings[0].Code)
		require.Equal(t, "EV-3a", warnings[0].Rule)
		require.Contains(t, warnings[0].What, `outcome of agent.completed is "so-so"`)
	}
	require.Equal(t, runevents.ControlHalted, p.state.Control.State, "three in a row that nobody can call a success")
}
