package similarity

// Overlap compares two sets by their sketches.
type Overlap struct {
	// Contained is the share of a that is in b (0–1), Containing that of b in a.
	Contained, Containing float64
	// Jaccard is the share of common elements in the union.
	Jaccard float64
	// Sample is the number of a's shingles that the estimate is based on; below about 8
	// it is coarse.
	Sample int
}

// Compare estimates the overlap of two sets from their bottom-k sketches; both are read
// as sketches of size k (the smaller of the sizes they were created with). A sketch
// shorter than k contains its whole set, so the result for two short ones is exact.
func Compare(a, b []uint32, k int) Overlap {
	a, b = Truncate(a, k), Truncate(b, k)
	// Below this hash both sketches are complete.
	horizon := ^uint32(0)
	for _, s := range [][]uint32{a, b} {
		if len(s) >= k && k > 0 {
			horizon = min(horizon, s[len(s)-1])
		}
	}
	inA, inB, both := 0, 0, 0
	for i, j := 0, 0; ; {
		moreA, moreB := i < len(a) && a[i] <= horizon, j < len(b) && b[j] <= horizon
		if !moreA && !moreB {
			break
		}
		switch {
		case moreA && moreB && a[i] == b[j]:
			inA, inB, both, i, j = inA+1, inB+1, both+1, i+1, j+1
		case !moreB || moreA && a[i] < b[j]:
			inA, i = inA+1, i+1
		default:
			inB, j = inB+1, j+1
		}
	}
	return Overlap{
		Contained: share(both, inA), Containing: share(both, inB),
		Jaccard: share(both, inA+inB-both), Sample: inA,
	}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
