package proof

import (
	"cmp"
	"slices"
)

// Ranges is a set of sequences of one stream, such as those that tombstones name: ranges, both ends
// included, in order and apart from each other.
type Ranges [][2]uint64

// With returns the set with more ranges, which may overlap and come in any order.
func (r Ranges) With(more ...[2]uint64) Ranges {
	all := append(slices.Clone(r), more...)
	slices.SortFunc(all, func(a, b [2]uint64) int { return cmp.Compare(a[0], b[0]) })
	out := all[:0]
	for _, next := range all {
		if n := len(out); n > 0 && next[0] <= out[n-1][1]+1 {
			out[n-1][1] = max(out[n-1][1], next[1])
			continue
		}
		out = append(out, next)
	}
	return out
}

// Has reports whether the set holds a sequence.
func (r Ranges) Has(sequence uint64) bool {
	_, found := slices.BinarySearchFunc(r, sequence, func(of [2]uint64, sequence uint64) int {
		switch {
		case of[1] < sequence:
			return -1
		case of[0] > sequence:
			return 1
		}
		return 0
	})
	return found
}
