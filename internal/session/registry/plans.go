package registry

import "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"

// PlanMatches compares a turn's PLAN sentences with those of earlier turns after the turn
// later. The result has one match for each of t.Sentences, the earliest of the most
// similar ones; it is zero if none reaches atLeast (0–1), or the sentence has too few
// words. t must come from Digest of this registry (C3).
func (r *Registry) PlanMatches(t *Turn, later int, atLeast float64) []PlanMatch {
	out := make([]PlanMatch, len(t.Sentences))
	end := r.plans.first + len(r.plans.ring)
	first := end
	for first > r.plans.first && r.plans.at(first-1).Turn > later {
		first--
	}
	if first == end {
		return out
	}
	for i := range t.plans {
		now, best := &t.plans[i], &out[t.planned[i]]
		for n := first; n < end; n++ {
			earlier := r.plans.at(n)
			few, many := min(now.Words, earlier.Words), max(now.Words, earlier.Words)
			if float64(few) < atLeast*float64(many) {
				continue // sets of such different sizes cannot be that similar
			}
			o := similarity.Compare(now.Shingles, earlier.Shingles, r.config.Sketches.Sentence)
			if o.Jaccard >= atLeast && o.Jaccard > best.Similarity {
				*best = PlanMatch{Turn: earlier.Turn, Similarity: o.Jaccard}
			}
		}
	}
	return out
}
