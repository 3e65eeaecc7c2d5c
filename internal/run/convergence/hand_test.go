package convergence_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// ids are findings by their ids, one a word.
func ids(words string) (out []runevents.Finding) {
	for _, id := range strings.Fields(words) {
		out = append(out, finding(id))
	}
	return out
}

// RW-31: resolved / (resolved + new + regressed), computed by hand.
func TestScoresByHand(t *testing.T) {
	none := -1.0
	for _, c := range []struct {
		name                    string
		previous, current, past string
		score                   float64
		identical               bool
	}{
		{"nothing open, twice", "", "", "", 1, false},
		{"all resolved", "a b", "", "", 1, false},
		{"only new ones", "", "a b", "", 0, false},
		{"nothing changed", "a b", "b a", "", none, true},
		{"1 of 2", "a", "b", "", 1. / 2, false},
		{"2 of 3", "a b c", "c d", "", 2. / 3, false},
		{"1 of 4", "a", "b c d", "", 1. / 4, false},
		{"regressed counts against it: 1 of 2", "c", "a", "a", 1. / 2, false},
		{"new and regressed: 1 of 3", "c d", "d a e", "a", 1. / 3, false},
		{"persistent ones do not count: 1 of 2", "a b c d", "a b c e", "", 1. / 2, false},
		{"grown by one", "a", "a b", "", 0, false},
		{"shrunk by one", "a b", "a", "", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := config.Compare(ids(c.previous), ids(c.current), ids(c.past))
			require.Equal(t, c.identical, config.Identical(ids(c.previous), ids(c.current)))
			if c.score == none {
				require.Nil(t, got.Score)
				return
			}
			require.InDelta(t, c.score, *got.Score, 1e-12)
		})
	}
}

// RW-30: over exactly three cycles; an id is taken at its word, whatever the rest
// of the finding says.
func TestOscillationByHand(t *testing.T) {
	for _, c := range []struct{ first, second, third, want string }{
		{"a b", "", "a b", "a b"},
		{"a b", "b", "a b", "a"},
		{"a b", "c", "b", "b"},
		{"", "a", "", ""},
		{"", "", "a", ""},
		{"a", "a", "a", ""},
	} {
		require.Equal(t, ids(c.want), config.Oscillating(ids(c.first), ids(c.second), ids(c.third)), "%+v", c)
	}
	leak := runevents.Finding{ID: "F1", File: "a.go", Category: "security", Text: "The key leaks."}
	typo := runevents.Finding{ID: "F1", File: "z.go", Category: "docs", Text: "A comment is missing."}
	require.True(t, config.Identical([]runevents.Finding{leak}, []runevents.Finding{typo}))
	leak.ID = ""
	require.False(t, config.Identical([]runevents.Finding{leak}, []runevents.Finding{typo}), "without it file, category and text decide")
}
