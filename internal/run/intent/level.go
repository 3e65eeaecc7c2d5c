package intent

import (
	"math"
)

// Level is how sure it is what was meant. The zero value is not said.
type Level string

// Levels.
const (
	Clear     Level = "clear"
	Uncertain Level = "uncertain"
	Ambiguous Level = "ambiguous"
)

func (l Level) rank() int {
	switch l {
	case Uncertain:
		return 1
	case Ambiguous:
		return 2
	}
	return 0
}

// above reports whether a level is worse than another.
func (l Level) above(other Level) bool { return l.rank() > other.rank() }

// worse is the worse of two levels (PL-31: the maximum counts); what is no level
// is clear.
func worse(a, b Level) Level {
	if b.above(a) {
		return b
	}
	if a.rank() == 0 {
		return Clear
	}
	return a
}

// levelOf is the level of a number of structural signals.
func (c *Config) levelOf(signals int) Level {
	switch {
	case signals >= c.Levels.Ambiguous:
		return Ambiguous
	case signals >= c.Levels.Uncertain:
		return Uncertain
	}
	return Clear
}

// tolerance is for the rounding of logarithms: nine samples in three equal
// clusters have exactly half of the greatest entropy.
const tolerance = 1e-9

// Spread is the Shannon entropy of samples in clusters, given by their sizes, as
// a share of its greatest value log2 k: 0 when all are in one, 1 when each is
// alone. It is false where there are fewer samples than least.
func Spread(clusters []int, least int) (share float64, ok bool) {
	k := 0.0
	for _, n := range clusters {
		if n > 0 {
			k += float64(n)
		}
	}
	if k < float64(least) || k < 2 {
		return 0, false
	}
	h := 0.0
	for _, n := range clusters {
		if n > 0 {
			p := float64(n) / k
			h -= p * math.Log2(p)
		}
	}
	return math.Max(0, h/math.Log2(k)), true
}

// sampled is the level that samples of the interpretation give; they can only
// raise it (PL-31).
func (c *Config) sampled(clusters []int) (Level, float64) {
	share, ok := Spread(clusters, c.Entropy.LeastSamples)
	switch {
	case !ok || share <= tolerance:
		return Clear, share
	case share >= c.Entropy.Ambiguous-tolerance:
		return Ambiguous, share
	}
	return Uncertain, share
}
