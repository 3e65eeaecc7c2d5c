package convergence

import runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"

// Comparison is how one cycle's open findings stand to those before.
type Comparison struct {
	Resolved   []runevents.Finding // open before, no longer
	New        []runevents.Finding // never seen before
	Persistent []runevents.Finding // open before and still
	Regressed  []runevents.Finding // resolved earlier, open again
	// Score is resolved / (resolved + new + regressed): 1 when nothing is open
	// in both cycles, nil when nothing changed (RW-31).
	Score *float64
}

// Compare compares the open findings of two consecutive cycles; past are those
// that were resolved before.
func (c *Config) Compare(previous, current, past []runevents.Finding) Comparison {
	before, now, resolved := marks(previous), marks(current), marks(past)
	persisted := make([]bool, len(before))
	var out Comparison
	for i := range now {
		switch at := c.unmatched(&now[i], before, persisted); {
		case at >= 0:
			persisted[at] = true
			out.Persistent = append(out.Persistent, now[i].Finding)
		case c.find(&now[i], resolved) >= 0:
			out.Regressed = append(out.Regressed, now[i].Finding)
		default:
			out.New = append(out.New, now[i].Finding)
		}
	}
	for i, still := range persisted {
		if !still {
			out.Resolved = append(out.Resolved, before[i].Finding)
		}
	}
	out.Score = out.score(len(before)+len(now) == 0)
	return out
}

// unmatched is find among those that nothing has been matched with yet: two
// findings of a cycle are never one of another.
func (c *Config) unmatched(one *mark, list []mark, matched []bool) int {
	for i := range list {
		if !matched[i] && c.same(one, &list[i]) {
			return i
		}
	}
	return -1
}

func (o *Comparison) score(nothingOpen bool) *float64 {
	changed := len(o.Resolved) + len(o.New) + len(o.Regressed)
	score := 1.0
	switch {
	case changed > 0:
		score = float64(len(o.Resolved)) / float64(changed)
	case !nothingOpen:
		return nil
	}
	return &score
}

// Identical reports whether a cycle left the very findings that the one before
// it left, and some at all: an empty list twice is success (RW-31).
func (c *Config) Identical(previous, current []runevents.Finding) bool {
	if len(current) == 0 || len(previous) != len(current) {
		return false
	}
	return len(c.Compare(previous, current, nil).Persistent) == len(current)
}

// Oscillating are the findings of the last of three consecutive cycles that were
// there in the first and gone in the second (RW-30).
func (c *Config) Oscillating(first, second, third []runevents.Finding) []runevents.Finding {
	one, two, three := marks(first), marks(second), marks(third)
	var out []mark
	for i := range three {
		if c.find(&three[i], one) >= 0 && c.find(&three[i], two) < 0 {
			out = append(out, three[i])
		}
	}
	return plain(out)
}
