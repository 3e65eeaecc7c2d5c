package pattern

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What only some alternatives need is looked for before anything is matched, and the others
// are matched alone.
func TestBranches(t *testing.T) {
	r := Must(`(?i)\?\s*$|\b(?:if|unless|whether|could (?:i|we))\b`)
	require.True(t, r.hopeless("It matches nothing."))
	require.NotNil(t, r.filter)
	require.NotNil(t, r.rest)
	require.False(t, r.hopeless("Does it? "))
	require.False(t, r.hopeless("IF it does"))
	require.False(t, r.hopeless("Unlessons"), "the literal occurs")
	require.False(t, r.MatchString("Unlessons"))

	for text, split := range map[string]bool{
		`(?:abcde|x)`: true, `a|b|c`: false, `abc|\w+`: false, `(?:if|or)\w+`: false, `(`: false,
		`^(?:\w+ (?:is|are) |never )(?:here|\d)`: true, `^(?:\w+ |never )\d`: false, // what is left is most of it
	} {
		f, _ := branchFilter(text, false)
		require.Equal(t, split, f != nil, text)
	}
}

// A pattern with its filters matches what it matches without them, and a list what one of it does.
func TestFiltersChangeNothing(t *testing.T) {
	texts := []string{
		`(?i)\?\s*$|\b(?:if|unless|whether|could (?:i|we)|task)\b`,
		`(?:(^|/)(test_[^/]*|tests?)\.py$)|(?:\.bats$)|(?:(^|/)t/[^/]+\.t$)`,
		`^(?:go|make) (?:test|build)|(?m:^ok\b)|[0-9]{2}`,
		`(?i)(?:^|[,;] (?:and |then )?)(?:let me|we'll|go) `,
		`\bno(?:t| one)?\b.*(?:(?:if|then)|tests?)$`,
	}
	var patterns []*Regexp
	for _, text := range texts {
		patterns = append(patterns, Must(text))
	}
	any := AnyOf(patterns)
	words := []string{
		"if", "Unless", "tests/", "test_x.py", "a.bats", "/t/", "x.t", "go ", "make ", "test", "ok", "42",
		", then ", "let me ", "no", "not ", "?", " ", "\n", "ta\u017fk", "Tas\u212a",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(t, "words"), "")
		one := false
		for i, p := range patterns {
			want := regexp.MustCompile(texts[i]).MatchString(text)
			one = one || want
			require.Equal(t, want, p.MatchString(text), "%s in %q", texts[i], text)
		}
		require.Equal(t, one, any.MatchString(text), "%q", text)
	})
}
