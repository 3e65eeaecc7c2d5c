package code

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindTakesWholeNames(t *testing.T) {
	require.Equal(t, 9, Find("fetchAll fetch(x)", "fetch", 0))
	require.Equal(t, -1, Find("prefetch fetch_all $fetch", "fetch", 0))
	require.Equal(t, -1, Find("anything", "", 0))
	require.True(t, Holds("a.fetch()", "fetch"))
	require.False(t, Holds("éfetch", "fetch"))
}

func TestBrackets(t *testing.T) {
	const call = "f(a[1, 2], {b: (3)}) + g"
	require.Equal(t, 19, Closing(call, 1))
	require.Equal(t, 1, Opening(call, 19))
	require.Equal(t, len("f(a, b"), Closing("f(a, b", 1), "a piece that was cut")
	require.Equal(t, -1, Opening("a)", 1))
	require.Equal(t, 1, Closing("a) b", 0), "a bracket that nothing opened")
	require.Equal(t, 2, Balance("f((a"))
	var depths []int
	for _, depth := range Depths("(a[b])c", Span{0, 7}) {
		depths = append(depths, depth)
	}
	require.Equal(t, []int{0, 1, 1, 2, 1, 0, 0}, depths)
}

func TestSplitCutsOutsideBrackets(t *testing.T) {
	text := " a, f(b, c) ; d;"
	var parts []string
	for _, s := range Split(text, Span{0, len(text)}, ",;") {
		parts = append(parts, text[s.From:s.To])
	}
	require.Equal(t, []string{"a", "f(b, c)", "d"}, parts)
}

func TestOperatorIsNoPartOfAName(t *testing.T) {
	operators := []string{"not in", "in", "=="}
	at := func(text string, i int) int { return Operator(text, i, Span{0, len(text)}, operators) }
	require.Equal(t, 2, at("a in b", 2))
	require.Equal(t, 6, at("a not in b", 2))
	require.Zero(t, at("bins", 1))
	require.Equal(t, 2, at("a==b", 1))
}

func TestLiterals(t *testing.T) {
	require.Equal(t, []string{"a b", "c"}, Literals(`f("a b", 'c', "open`))
	require.Equal(t, "log(f  name   x)", OutsideText("log(f\"a {name} b\" x)"))
	require.Equal(t, 5, StringEnd(`"a\"" b`, 0))
	require.Equal(t, 0, StringEnd(`"open`, 0))
}
