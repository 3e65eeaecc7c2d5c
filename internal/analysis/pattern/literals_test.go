package pattern

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLiterals(t *testing.T) {
	for text, want := range map[string][]clause{
		`error: .*`:                        {{"error: "}},
		`(?m)^ERROR: `:                     {{"error: "}},
		`(?i)\b(?:let me|we will) (.*)`:    {{"let me ", "we will "}},
		`(?i)re-?think`:                    {{"re-think", "rethink"}},
		`hard(?:-| )?code[ds]`:             {{"hard coded", "hard codes", "hard-coded", "hard-codes", "hardcoded", "hardcodes"}},
		`a+b*`:                             nil,
		`(?:abc|x)`:                        nil,
		`.*`:                               nil,
		`[a-z]+ing\b`:                      {{"ing"}},
		`x*(?:directly|straight) (?:from)`: {{"directly from", "straight from"}},
		`(?:panic){2,}`:                    {{"panic"}},
		`é(?i:é)abc`:                       {{"abc"}},
		`(`:                                nil,
		// A match needs something of each clause; the best of each branch.
		`(?:I'll|we will) \w+ (?:redo|rewrite) it`:   {{" redo it", " rewrite it"}, {"i'll ", "we will "}},
		`(?:one\w+three|(?:four|five)\d+six)!*seven`: {{"seven"}, {"five", "four", "three"}},
		`aaa.bbb.ccc.ddd.eee`:                        {{"aaa"}, {"bbb"}, {"ccc"}, {"ddd"}},
	} {
		require.Equal(t, want, clausesOf(text), text)
	}
}

// A long list of words is looked for like a short one; a window of it would let most texts pass.
func TestManyLiterals(t *testing.T) {
	words := make([]string, 0, 26*5)
	for first := 'a'; first <= 'z'; first++ {
		for _, rest := range []string{"ban", "cot", "din", "fur", "gel"} {
			words = append(words, string(first)+rest)
		}
	}
	r := Must(strings.Join(words, "|"))
	require.Len(t, r.clauses(), 1)
	require.True(t, r.hopeless("none of these"))
	require.False(t, r.hopeless("a zgel"))
}

// The two letters beyond ASCII that fold to k and s count as those.
func TestLettersThatFoldAreNoObstacle(t *testing.T) {
	r := MustRE2("(?i)task")
	require.False(t, r.hopeless("a ta\u017fk"))
	require.False(t, r.hopeless("a tas\u212a"))
	require.False(t, r.hopeless("A TASK"))
	require.True(t, r.hopeless("a tusk"))
	require.True(t, r.MatchString("a ta\u017fk"))
}

// Most texts hold no literal of a set: its patterns are not even compiled.
func TestSetsCompileForCandidatesOnly(t *testing.T) {
	s, err := Trusted.Set("words", []string{"first.*", "second.*"})
	require.NoError(t, err)
	require.Empty(t, s.Find("neither of them"))
	require.Nil(t, s.Pattern(0).engine)
	require.Equal(t, []int{1}, s.Candidates("a second one"))
	require.Equal(t, []int{1}, s.Find("a second one"))
	require.NotNil(t, s.Pattern(1).engine)
	require.Nil(t, s.Pattern(0).engine)
}

// A text that lacks one of the things that a pattern needs is not looked at.
func TestEachClauseIsNeeded(t *testing.T) {
	for _, r := range []*Regexp{Must(`(?i)(?:I'll|we will) \w+ (?:redo|rewrite) it`), MustRE2(`(?i)(?:I'll|we will) \w+ (?:redo|rewrite) it`)} {
		require.True(t, r.hopeless("I'll gladly do it"))
		require.True(t, r.hopeless("they redo it"))
		require.False(t, r.hopeless("to redo it, and we will see")) // only the pattern knows the order
		require.False(t, r.MatchString("to redo it, and we will see"))
		require.True(t, r.MatchString("We will gladly rewrite it"))
		require.Equal(t, "nothing", r.ReplaceAllString("nothing", "x"))
	}
	s, err := Trusted.Set("words", []string{`first.*second`, `second.*third`, `\d`})
	require.NoError(t, err)
	require.Equal(t, []int{2}, s.Candidates("second"))
	require.Equal(t, []int{0, 2}, s.Candidates("second and first"))
	require.Equal(t, []int{0, 1, 2}, s.Candidates("first, second, third"))
}
