package convergence

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

var config = &Config{TextSimilarity: 0.6}

func TestSame(t *testing.T) { // RW-30: by id, else by file, category and text
	for _, c := range []struct {
		name string
		a, b runevents.Finding
		want bool
	}{
		{"same id, other text", runevents.Finding{ID: "F1", Text: "one"}, runevents.Finding{ID: "F1", Text: "two"}, true},
		{"other id, same text", runevents.Finding{ID: "F1", Text: "one"}, runevents.Finding{ID: "F2", Text: "one"}, false},
		{"one id, same text", runevents.Finding{ID: "F1", File: "a.go", Text: "one thing"}, runevents.Finding{File: "a.go", Text: "One thing."}, true},
		{"other file", runevents.Finding{File: "a.go", Text: "one thing"}, runevents.Finding{File: "b.go", Text: "one thing"}, false},
		{"other category", runevents.Finding{File: "a.go", Category: "testing", Text: "one thing"}, runevents.Finding{File: "a.go", Category: "quality", Text: "one thing"}, false},
		{"category in capitals", runevents.Finding{Category: "Testing", Text: "one thing"}, runevents.Finding{Category: "testing", Text: "one thing"}, true},
		{"other words", runevents.Finding{File: "a.go", Text: "the lock is never released"}, runevents.Finding{File: "a.go", Text: "the name of the test is wrong"}, false},
		{"no text on either side", runevents.Finding{File: "a.go"}, runevents.Finding{File: "a.go"}, true},
		{"no text on one side", runevents.Finding{File: "a.go"}, runevents.Finding{File: "a.go", Text: "one thing"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := markOf(c.a), markOf(c.b)
			require.Equal(t, c.want, config.same(&a, &b))
			require.Equal(t, c.want, config.same(&b, &a))
		})
	}
}

func TestOpen(t *testing.T) {
	list := []runevents.Finding{
		{ID: "F1"},
		{ID: "F1", Text: "again"},
		{ID: "F2", State: "fixed"},
		{ID: "F3", State: "deferred"},
		{ID: "F4", State: "open"},
		{File: "a.go", Line: 1, Text: "no test for the empty list"},
		{File: "a.go", Line: 9, Text: "no test for the empty list"},
		{File: "a.go", Line: 9, Text: "no test for the empty list"},
	}
	require.Len(t, config.Open(list), 4, "what a publisher tells apart stays apart")
}

func TestTwoAlikeAreNotOne(t *testing.T) { // each finding is matched once
	one := runevents.Finding{File: "a.go", Line: 1, Text: "no test for the empty list"}
	two := one
	two.Line = 9
	require.False(t, config.Identical([]runevents.Finding{one}, []runevents.Finding{one, two}))
	require.True(t, config.Identical([]runevents.Finding{two, one}, []runevents.Finding{one, two}))
	c := config.Compare([]runevents.Finding{one}, []runevents.Finding{one, two}, nil)
	require.Len(t, c.New, 1)
}

func TestOscillatingNeedsAllThree(t *testing.T) {
	f := []runevents.Finding{{ID: "F1"}}
	require.Empty(t, config.Oscillating(f, f, f))
	require.Empty(t, config.Oscillating(nil, nil, f))
	require.Empty(t, config.Oscillating(f, nil, nil))
	require.Len(t, config.Oscillating(f, nil, f), 1)
}

func drawFindings(t *rapid.T, label string) []runevents.Finding {
	ids := rapid.SliceOfNDistinct(rapid.IntRange(0, 12), 0, 10, rapid.ID[int]).Draw(t, label)
	var out []runevents.Finding
	for _, id := range ids {
		out = append(out, runevents.Finding{ID: fmt.Sprint("F", id)})
	}
	return out
}

// What was open is persistent or resolved; what is open is persistent, new or
// regressed; the score is that of RW-31.
func TestCompareAccounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, now, past := drawFindings(t, "before"), drawFindings(t, "now"), drawFindings(t, "past")
		c := config.Compare(before, now, past)
		require.Len(t, before, len(c.Persistent)+len(c.Resolved))
		require.Len(t, now, len(c.Persistent)+len(c.New)+len(c.Regressed))
		changed := len(c.Resolved) + len(c.New) + len(c.Regressed)
		switch {
		case len(before)+len(now) == 0:
			require.InDelta(t, 1, *c.Score, 0)
		case changed == 0:
			require.Nil(t, c.Score)
		default:
			require.InDelta(t, float64(len(c.Resolved))/float64(changed), *c.Score, 0)
			// A computed score is low just when findings grow in number.
			require.Equal(t, len(now) > len(before), *c.Score < 0.5)
		}
		require.Equal(t, len(now) > 0 && changed == 0, config.Identical(before, now))
	})
}

// An update with what is open already changes nothing, one that closes all of it
// leaves nothing.
func TestUpdateSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		open, report := drawFindings(t, "open"), drawFindings(t, "report")
		both := config.Update(open, report)
		require.Equal(t, both, config.Update(both, report))
		for i := range both {
			both[i].State = StateFixed
		}
		require.Empty(t, config.Update(config.Update(open, report), both))
	})
}
