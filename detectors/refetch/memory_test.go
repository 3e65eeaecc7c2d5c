package refetch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is too long ago to matter is not kept, and never more than the limit.
func TestBound(t *testing.T) {
	turns := func(m memory) (out []int) {
		for _, r := range m.Seen {
			out = append(out, r.Turn)
		}
		return out
	}
	seen := memory{Seen: []retrieval{{Turn: 1}, {Turn: 3}, {Turn: 3}, {Turn: 7}}}
	for _, c := range []struct {
		limit, first int
		want         []int
	}{{9, -20, []int{1, 3, 3, 7}}, {9, 3, []int{3, 3, 7}}, {2, 3, []int{3, 7}}, {9, 8, nil}} {
		m := seen
		m.bound(c.limit, c.first)
		require.Equal(t, c.want, turns(m))
	}
}
