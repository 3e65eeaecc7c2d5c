package convergence

import runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"

// Comparison compares one cycle's open findings with the earlier ones.
type Comparison struct {
	Resolved   []runevents.Finding // open before, no longer open
	New        []runevents.Finding // never open before
	Persistent []runevents.Finding // open before and now
	Regressed  []runevents.Finding // resolved earlier, open again
	// Score is resolved / (resolved + new + regressed): 1 if nothing is open in either
	// cycle, nil if nothing changed (RW-31).
	Score *float64
}

// Compare compares the open findings of two consecutive cycles; past are the findings
// resolved earlier.
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

// unmatched is find among the marks that have no match yet: two findings of one cycle
// never match the same finding of another.
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

// Identical reports whether a cycle left exactly the findings that the previous one left.
// Two empty lists are not identical: that is success (RW-31).
func (c *Config) Identical(previous, current []runevents.Finding) bool {
	if len(current) == 0 || len(previous) != len(current) {
		return false
	}
	return len(c.Compare(previous, current, nil).Persistent) == len(current)
}

// Oscillating returns the findings of the last of three consecutive cycles that were open
// in the first and not in the second (RW-30).
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
