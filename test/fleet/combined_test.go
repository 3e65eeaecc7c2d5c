package fleet

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// Two dysfunctions of one run are both reported, and nothing else is.
func TestTwoDysfunctionsOfOneRun(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	partners := proofs.Size(1, 4)
	combined := workload.Combined(4, partners)
	require.Greater(t, len(combined), 70*partners)
	for _, c := range combined {
		chain := core.Chain()
		_, decided := Play(chain, c, true)
		require.Empty(t, chain.DeadLetters, c.Name)
		for _, wrong := range Judge(c, decided, true) {
			t.Error(wrong)
		}
	}
	t.Logf("%d runs with two dysfunctions", len(combined))
}
