package convergence

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Config configures when two findings are the same.
type Config struct {
	// TextSimilarity is the minimum share of common words of two texts, 0 to 1, if their
	// ids do not decide.
	TextSimilarity float64 `yaml:"text_similarity" range:"0..1"`
}

// sketchSize is the number of distinct words of a text that are compared.
const sketchSize = 64

// mark is a finding with the attributes by which it is recognized.
type mark struct {
	runevents.Finding
	words []uint32
}

func markOf(f runevents.Finding) mark {
	stems := similarity.Words(f.Text)
	for i, word := range stems {
		stems[i] = similarity.Stem(word)
	}
	return mark{Finding: f, words: similarity.SketchOf(stems, sketchSize)}
}

func marks(list []runevents.Finding) []mark {
	out := make([]mark, len(list))
	for i, f := range list {
		out[i] = markOf(f)
	}
	return out
}

// same reports whether two findings are the same.
func (c *Config) same(a, b *mark) bool {
	if a.ID != "" && b.ID != "" {
		return a.ID == b.ID
	}
	if a.File != b.File || !strings.EqualFold(a.Category, b.Category) {
		return false
	}
	if len(a.words) == 0 || len(b.words) == 0 {
		return len(a.words) == len(b.words)
	}
	return similarity.Compare(a.words, b.words, sketchSize).Jaccard >= c.TextSimilarity
}

func (c *Config) find(one *mark, list []mark) int {
	for i := range list {
		if c.same(one, &list[i]) {
			return i
		}
	}
	return -1
}

// Open returns the findings that still need work, each once. Within one list only
// identical findings are duplicates: what the publisher lists separately stays separate.
func (c *Config) Open(findings []runevents.Finding) []runevents.Finding {
	var kept []runevents.Finding
	for _, f := range findings {
		if !closed(&f) && !slices.ContainsFunc(kept, func(k runevents.Finding) bool { return repeated(&k, &f) }) {
			kept = append(kept, f)
		}
	}
	return kept
}

func closed(f *runevents.Finding) bool { return f.State == StateFixed || f.State == StateDeferred }

func repeated(a, b *runevents.Finding) bool {
	if a.ID != "" || b.ID != "" {
		return a.ID == b.ID
	}
	return a.File == b.File && a.Line == b.Line && a.Category == b.Category && a.Text == b.Text
}

// Update returns the open findings after another report: those it marks as fixed or
// deferred are removed, new ones are appended.
func (c *Config) Update(open, report []runevents.Finding) []runevents.Finding {
	before := marks(open)
	gone, matched := make([]bool, len(before)), make([]bool, len(before))
	var added []runevents.Finding
	for _, f := range report {
		m := markOf(f)
		at := c.unmatched(&m, before, matched)
		switch {
		case at >= 0:
			matched[at] = true
			gone[at] = closed(&f)
		case !closed(&f):
			added = append(added, f)
		}
	}
	var kept []runevents.Finding
	for i := range before {
		if !gone[i] {
			kept = append(kept, before[i].Finding)
		}
	}
	return c.Open(append(kept, added...))
}

func plain(list []mark) []runevents.Finding {
	if len(list) == 0 {
		return nil
	}
	out := make([]runevents.Finding, len(list))
	for i := range list {
		out[i] = list[i].Finding
	}
	return out
}

// States of a finding that is not open.
const (
	StateFixed    = "fixed"
	StateDeferred = "deferred"
)

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
