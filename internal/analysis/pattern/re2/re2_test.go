package re2_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	_ "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern/re2"
)

func TestBothEnginesAgree(t *testing.T) {
	const text = "a1 b22 a333"
	for _, r := range []*pattern.Regexp{pattern.Must(`(?P<letter>[ab])(\d+)`), pattern.MustRE2(`(?P<letter>[ab])(\d+)`)} {
		require.True(t, r.MatchString(text))
		require.Equal(t, "a1", r.FindString(text))
		require.Equal(t, []int{0, 2}, r.FindStringIndex(text))
		require.Equal(t, []string{"a1", "a", "1"}, r.FindStringSubmatch(text))
		require.Equal(t, []int{0, 2, 0, 1, 1, 2}, r.FindStringSubmatchIndex(text))
		require.Equal(t, []string{"a1", "b22"}, r.FindAllString(text, 2))
		require.Equal(t, [][]int{{0, 2}, {3, 6}}, r.FindAllStringIndex(text, 2))
		require.Equal(t, [][]string{{"a1", "a", "1"}}, r.FindAllStringSubmatch(text, 1))
		require.Equal(t, [][]int{{0, 2, 0, 1, 1, 2}}, r.FindAllStringSubmatchIndex(text, 1))
		require.Equal(t, "1a 22b 333a", r.ReplaceAllString(text, "$2$letter"))
		require.Equal(t, "x x x", r.ReplaceAllStringFunc(text, func(string) string { return "x" }))
		require.Equal(t, []string{"", " ", " ", ""}, r.Split(text, -1))
		require.Equal(t, 2, r.NumSubexp())
		require.Equal(t, 1, r.SubexpIndex("letter"))
		require.Equal(t, []string{"", "letter", ""}, r.SubexpNames())
		require.Equal(t, `(?P<letter>[ab])(\d+)`, r.String())
	}
}

func TestSetFindsInOrder(t *testing.T) {
	for _, from := range []pattern.Compiler{pattern.Checked, pattern.Trusted} {
		s, err := from.Set("words", []string{"c", "b", "a", "d"})
		require.NoError(t, err)
		require.Equal(t, []int{0, 1, 2}, s.Find("a b c"))
	}
}

func TestAWrongPatternIsAnError(t *testing.T) {
	_, err := pattern.Checked.RE2("moves", "(")
	require.ErrorContains(t, err, "missing closing )")
	_, err = pattern.Checked.Set("moves", []string{"a", "("})
	require.ErrorContains(t, err, "missing closing )")
	require.Panics(t, func() { pattern.MustRE2("(").MatchString("x") })
}

// A set that has been asked often enough compiles all patterns into one, which finds the same.
func TestSetsFindTheSameWhenTheyAreCompiled(t *testing.T) {
	s, err := pattern.Trusted.Set("words", []string{"(?i)alpha", "beta$", "gamma+", `\bdelta`, "epsilon|ä", "zeta"})
	require.NoError(t, err)
	for range 2000 {
		require.Equal(t, []int{0, 2, 3, 4}, s.Find("ALPHA beta gammaa delta ä"))
	}
}
