package re2_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/wasilibs/go-re2/experimental"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// pieces are parts of patterns, some with literals and some without.
var pieces = []string{"abc", "k", "s", "(?:ask|task)", "x?", "[kst]", "[^a]", "(?:ab|cd)+", "(?:foo){1,3}", "y*", "(?i:Sik)", "é", ".", "(?:|zz)", "(a(?:b|c)d)", "[a-z]{2}", "(?:long literal)", `\d`, `\s*`, `\b`, "…?"}

func drawPattern(t *rapid.T) string {
	text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 4).Draw(t, "pieces"), "")
	text = rapid.SampledFrom([]string{"", "", "^", "(?m)^"}).Draw(t, "start") + text
	if rapid.Bool().Draw(t, "alternative") {
		text += "|" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 3).Draw(t, "others"), "")
	}
	if rapid.Bool().Draw(t, "fold") {
		return "(?i)(?:" + text + ")"
	}
	return text
}

// drawText is a text that holds a match of a pattern, in any case of letters and
// with the letters beyond ASCII that fold to k and s.
func drawText(t *rapid.T, expression string) string {
	around := rapid.StringOf(rapid.SampledFrom([]rune("abcKkſ. \nxyz")))
	text := rapid.StringMatching(expression).Draw(t, "match")
	for _, change := range []struct{ from, to string }{{"k", "\u212a"}, {"s", "\u017f"}, {"a", "A"}, {"b", "B"}, {"K", "k"}} {
		if rapid.Bool().Draw(t, change.from) {
			text = strings.ReplaceAll(text, change.from, change.to)
		}
	}
	return around.Draw(t, "before") + text + around.Draw(t, "after")
}

// A pattern that looks for its literals first finds what the same one of the
// standard library finds.
func TestFilteredPatternsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expression := drawPattern(t)
		text := drawText(t, expression)
		want := regexp.MustCompile(expression)
		for _, r := range []*pattern.Regexp{pattern.MustRE2(expression), pattern.Must(expression)} {
			require.Equal(t, want.MatchString(text), r.MatchString(text))
			require.Equal(t, want.FindStringIndex(text), r.FindStringIndex(text))
			require.Equal(t, want.ReplaceAllString(text, "-"), r.ReplaceAllString(text, "-"))
		}
	})
}

// A set gives what its patterns give one by one.
func TestSetsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Custom(drawPattern), 1, 8).Draw(t, "patterns")
		text := drawText(t, rapid.SampledFrom(texts).Draw(t, "matched"))
		var want []int
		for i, expression := range texts {
			if regexp.MustCompile(expression).MatchString(text) {
				want = append(want, i)
			}
		}
		s, err := pattern.Trusted.Set("words", texts)
		require.NoError(t, err)
		require.Equal(t, want, s.Find(text))
		for _, i := range want {
			require.Contains(t, s.Candidates(text), i)
		}
	})
}

func BenchmarkSetWithoutCandidates(b *testing.B) {
	texts := []string{`(?i)\b(?:let me|we will) just`, `(?i)\bfrom scratch\b`, `(?i)\breconsider(?:ed|ing)?\b`, `(?i)\bhard-?coded?\b`, `(?i)\bfor now\b`}
	text := strings.Repeat("The function reads the file and returns what it holds. ", 80)
	b.Run("filter", func(b *testing.B) {
		s, err := pattern.Trusted.Set("words", texts)
		require.NoError(b, err)
		b.SetBytes(int64(len(text)))
		for range b.N {
			s.Find(text)
		}
	})
	b.Run("RE2", func(b *testing.B) {
		s, err := experimental.CompileSet(texts)
		require.NoError(b, err)
		b.SetBytes(int64(len(text)))
		for range b.N {
			_, _ = s.FindAllStringWithError(text, len(texts))
		}
	})
}
