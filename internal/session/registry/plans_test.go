package registry

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Each sentence of a plan is compared with the plans before it (C3), as
// SimilarPlan compares one.
func TestPlanMatches(t *testing.T) {
	config, err := Load(rules.Default())
	require.NoError(t, err)
	r := New(config)
	say := func(turn int, text string) *Turn {
		return r.Digest(&sessionevents.TurnSegmented{Turn: turn, Segments: []sessionevents.Segment{{Kind: sessionevents.SegmentPlan, Text: text}}})
	}
	r.Commit(say(1, "The session store keeps tokens in memory. Yes."))
	r.Commit(say(2, "The session store keeps tokens in memory as well."))
	now := say(3, "Well then. Tokens are kept in memory by the session store. Rows are sorted by their colour.")
	got := r.PlanMatches(now, 0, 0.6)
	require.Len(t, got, 3)
	require.Zero(t, got[0], "too few words")
	require.Equal(t, 1, got[1].Turn, "the earliest of the most similar")
	require.Zero(t, got[2], "nothing like it was said")
	one, ok := r.SimilarPlan(now.Sentences[1].Text, 0.6)
	require.True(t, ok)
	require.Equal(t, one, got[1])
	require.Equal(t, 2, r.PlanMatches(now, 1, 0.6)[1].Turn, "said later than turn 1")
	require.Equal(t, make([]PlanMatch, 3), r.PlanMatches(now, 2, 0.6), "nothing was said since")
}

// SimilarPlan returns the earlier PLAN sentence most similar to a sentence, the earliest
// of equally similar ones; false if none reaches atLeast.
func (r *Registry) SimilarPlan(sentence string, atLeast float64) (PlanMatch, bool) {
	record, ok := r.config.planRecord(0, sentence)
	if !ok {
		return PlanMatch{}, false
	}
	var best PlanMatch
	for _, p := range r.plans.all() {
		o := similarity.Compare(record.Shingles, p.Shingles, r.config.Sketches.Sentence)
		if o.Jaccard > best.Similarity {
			best = PlanMatch{Turn: p.Turn, Similarity: o.Jaccard}
		}
	}
	return best, best.Similarity > 0 && best.Similarity >= atLeast
}
