package fleet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// What occurs before and after a resume is reported once for each: a break again (RW-34), a shadow as the
// second of its issue (RW-40).
func TestAResumeBeginsAnew(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	for _, r := range workload.Resumed(6) {
		t.Run(strings.ReplaceAll(r.Name, "/", " "), func(t *testing.T) {
			chain := core.Chain()
			_, decided := Play(chain, workload.Case{Events: r.Before}, true)
			before := listen(decided)
			_, decided = Play(chain, workload.Case{Events: r.After}, true)
			after := listen(decided)
			require.Empty(t, chain.DeadLetters)
			if r.Break != "" {
				require.Equal(t, []string{r.Break}, before.breaks)
				require.Equal(t, []string{r.Break}, after.breaks)
				return
			}
			require.Empty(t, before.breaks)
			require.Equal(t, r.Says, before.lines)
			for _, line := range r.Says {
				require.Contains(t, after.lines, line+" step 2")
				require.NotContains(t, after.lines, line)
			}
		})
	}
}
