package pattern

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStartWindow(t *testing.T) {
	for text, want := range map[string]struct {
		length int
		start  bool
	}{
		`^v\d+([a-z]+\d*)?$`:   {2, true},
		`^(?:if|else)\b`:       {2, true},
		`^\s*def `:             {4, true},
		`^[ \t]*(?:if|else)\b`: {2, true},
		`^\s*$`:                {},
		`^(?:hm+[,…] )*wait`:   {2, true}, // the third may take several bytes
		`^.*wait`:              {},        // begins with anything
		`^a?`:                  {},        // or with nothing
		`\d\d\d\d-\d\d`:        {7, false},
		`[a-z]\w*`:             {}, // says too little of any text
		`(?:^|x)\d\d\d`:        {3, false},
		`(?i)^skip`:            {4, true},
		`(?m)^\d+ [=<>] \d+$`:  {5, false},
		`(`:                    {},
	} {
		w := startWindow(text)
		if want.length == 0 {
			require.Nil(t, w, text)
			continue
		}
		require.NotNil(t, w, text)
		require.Equal(t, want.length, w.length, text)
		require.Equal(t, want.start, w.start, text)
	}
}

// A text is only matched where its bytes, one by one, could be a match's.
func TestWindowsSpareMatches(t *testing.T) {
	version := Must(`^v\d+([a-z]+\d*)?$`)
	require.True(t, version.hopeless("value"))
	require.True(t, version.hopeless("v"))
	require.True(t, version.hopeless(" v1"))
	require.False(t, version.hopeless("v1!"))
	require.True(t, version.MatchString("v2beta1"))
	date := Must(`\d\d\d\d-\d\d`)
	require.True(t, date.hopeless("1234 12-34"))
	require.False(t, date.hopeless("on 2026-01-31"))
	skip := Must(`(?i)^skip`)
	require.True(t, skip.hopeless("sky"))
	require.False(t, skip.hopeless("\u017fkip"))
	require.True(t, skip.MatchString("\u017f\u212aip"))
	require.True(t, Must(`^é\d`).MatchString("é1"))
}

// Where a pattern begins with space, what follows must come after all of it.
func TestWindowAfterSpace(t *testing.T) {
	def := Must(`^\s*(?:def|func) (\w+)`)
	for _, text := range []string{"return nil", "\t\treturn nil", "x := def a", "   ", "", "  de", "\u00a0def a"} {
		require.True(t, def.hopeless(text), text)
		require.Nil(t, def.FindStringSubmatch(text), text)
	}
	for _, text := range []string{"def a", "\t def a", "\r\n\f func b"} {
		require.False(t, def.hopeless(text), text)
		require.NotNil(t, def.FindStringSubmatch(text), text)
	}
	require.True(t, Must(`^\s*[ x]+def`).MatchString("  def"), "space may be part of what follows")
	require.True(t, Must(`(?i)^\s*skip`).MatchString(" s\u212aip"))
	require.True(t, Must(`^[\s\x{a0}]*def`).MatchString("\u00a0def"))
	require.True(t, Must(`(?m)^\s*def`).MatchString("a\ndef"))
	require.True(t, Must(`^\s*a|def`).MatchString("x def"))
}
