package proof_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// The set holds what any of its ranges holds, in whatever order they came, and nothing else.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var set proof.Ranges
		want := map[uint64]bool{}
		for range rapid.IntRange(0, 12).Draw(rt, "ranges") {
			first := rapid.Uint64Range(1, 60).Draw(rt, "first")
			last := first + rapid.Uint64Range(0, 5).Draw(rt, "more")
			set = set.With([2]uint64{first, last})
			for s := first; s <= last; s++ {
				want[s] = true
			}
		}
		for s := range uint64(70) {
			require.Equal(rt, want[s], set.Has(s), "%d in %v", s, set)
		}
		for i := 1; i < len(set); i++ {
			require.Greater(rt, set[i][0], set[i-1][1]+1, "merged: %v", set)
		}
	})
}
