package intent

import (
	"math"
)

// Level is how clear the intent is. The zero value means unknown.
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

// worse returns the worse of two levels (PL-31: the maximum counts); an unknown
// level counts as clear.
func worse(a, b Level) Level {
	if b.above(a) {
		return b
	}
	if a.rank() == 0 {
		return Clear
	}
	return a
}

// levelOf returns the level for a number of structural signals.
func (c *Config) levelOf(signals int) Level {
	switch {
	case signals >= c.Levels.Ambiguous:
		return Ambiguous
	case signals >= c.Levels.Uncertain:
		return Uncertain
	}
	return Clear
}

// tolerance absorbs rounding errors of logarithms: nine samples in three equal clusters
// have exactly half of the maximum entropy.
const tolerance = 1e-9

// Spread returns the Shannon entropy of samples in clusters of the given sizes as a share
// of its maximum, log2 k: 0 if all are in one cluster, 1 if each has its own. It returns
// false for fewer than least samples.
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

// sampled returns the level that follows from samples of the interpretation; samples can
// only raise the level (PL-31).
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
