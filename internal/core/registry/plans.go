package registry

import "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"

// PlanMatches compares a turn's PLAN sentences with those before the turn. The
// result has one match for each of t.Sentences, the earliest of the most similar;
// it is zero where none reaches atLeast (0–1), or the sentence says too little.
// t must come from Digest of this registry (C3).
func (r *Registry) PlanMatches(t *Turn, atLeast float64) []PlanMatch {
	out := make([]PlanMatch, len(t.Sentences))
	for i := range t.plans {
		now, best := &t.plans[i], &out[t.planned[i]]
		for n := r.plans.first; n < r.plans.first+len(r.plans.ring); n++ {
			earlier := r.plans.at(n)
			few, many := min(now.Words, earlier.Words), max(now.Words, earlier.Words)
			if float64(few) < atLeast*float64(many) {
				continue // sets of such different sizes cannot be that alike
			}
			o := similarity.Compare(now.Shingles, earlier.Shingles, r.config.Sketches.Sentence)
			if o.Jaccard >= atLeast && o.Jaccard > best.Similarity {
				*best = PlanMatch{Turn: earlier.Turn, Similarity: o.Jaccard}
			}
		}
	}
	return out
}
