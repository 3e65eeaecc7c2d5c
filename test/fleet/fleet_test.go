package fleet

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// size is how many pairs a fleet has; every dysfunction is among them.
const size = 120

// Fifty runs with something wrong show it once each, their clean twins nothing.
func TestEachDysfunctionShowsOnceAndNoneOnItsTwin(t *testing.T) {
	require.Less(t, workload.Dysfunctions(), size)
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	breaks := map[string]int{}
	for _, seed := range proofs.Size([]uint64{1}, []uint64{1, 2}) {
		for i, pair := range workload.Fleet(seed, size) {
			obedient := (i+int(seed))%2 == 0
			for _, c := range []workload.Case{pair.Sick, pair.Clean} {
				chain := core.Chain()
				_, decided := Play(chain, c, obedient)
				require.Empty(t, chain.DeadLetters)
				for _, wrong := range Judge(c, decided, obedient) {
					t.Errorf("seed %d, pair %d: %s", seed, i, wrong)
				}
			}
			breaks[pair.Sick.Break]++
		}
	}
	t.Logf("%d dysfunctions; breaks: %v", workload.Dysfunctions(), breaks)
}

// The whole fleet in one chain is decided as each run alone: runs do not meet.
func TestRunsDoNotMeet(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	together := core.Chain()
	want, got := map[string][]string{}, map[string][]string{}
	var all []events.Event
	for _, pair := range workload.Fleet(3, workload.Dysfunctions()) {
		for _, c := range []workload.Case{pair.Sick, pair.Clean} {
			fed, decided := Play(core.Chain(), c, false)
			for _, d := range decided {
				want[d.Group()] = append(want[d.Group()], text(t, d))
			}
			all = append(all, fed...)
		}
	}
	slices.SortStableFunc(all, func(a, b events.Event) int { return a.Time.Compare(b.Time) })
	for _, e := range all {
		for _, d := range together.Feed(e) {
			got[d.Group()] = append(got[d.Group()], text(t, d))
		}
	}
	for group, lines := range want {
		require.Equal(t, lines, got[group], "group %s", group)
	}
}

func text(t *testing.T, e events.Event) string {
	line, err := events.MarshalStructured(e)
	require.NoError(t, err)
	return string(line)
}
