package packed_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/packed"
)

// What is written is read again, lists and numbers in any order.
func TestWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 300), rapid.SampledFrom([]uint64{0, 1, math.MaxUint64 - 1, math.MaxUint64}))
		lists := rapid.SliceOf(rapid.SliceOfNDistinct(number, 0, 80, rapid.ID)).Draw(t, "lists")
		width := rapid.IntRange(0, 64).Draw(t, "width")
		var w packed.Writer
		for _, list := range lists {
			slices.Sort(list)
			w.Ascending(list)
			w.Number(math.MaxUint64, width)
		}
		r := packed.NewReader(w.Bytes())
		for _, list := range lists {
			got, err := r.Ascending()
			require.NoError(t, err)
			require.True(t, slices.Equal(list, got), "%v, %v", list, got)
			n, err := r.Number(width)
			require.NoError(t, err)
			require.Equal(t, uint64(math.MaxUint64)>>(64-width), n)
		}
	})
}

// Anything else than what was written is an error or another list, never a panic or much memory.
func TestDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := packed.NewReader(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bytes"))
		for range 10 {
			list, err := r.Ascending()
			if err != nil {
				require.ErrorIs(t, err, packed.ErrDamaged)
				return
			}
			require.True(t, slices.IsSorted(list))
		}
	})
}

// Hashes take log2(n) - 1.6 bits less than they have.
func TestRandomNumbersTakeLess(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]uint64, 5000)
	for i := range list {
		list[i] = random.Uint64()
	}
	slices.Sort(list)
	var w packed.Writer
	w.Ascending(list)
	require.Less(t, float64(8*len(w.Bytes()))/float64(len(list)), 64-math.Log2(5000)+1.7)
}
