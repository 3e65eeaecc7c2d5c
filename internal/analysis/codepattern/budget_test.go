package codepattern

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func written(code string) *sessionevents.Segment {
	s := &sessionevents.Segment{Language: "python", Diff: &sessionevents.Diff{Hunks: []sessionevents.Hunk{{NewStart: 1}}}}
	for _, l := range strings.Split(code, "\n") {
		s.Diff.Hunks[0].Lines = append(s.Diff.Hunks[0].Lines, "+"+l)
	}
	return s
}

// functions are so many functions with a sink each and some lines more.
func functions(count, lines int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "def handle%d(a):\n%s    sink(f'x {a}')\n\n", i, strings.Repeat("    value = compute(1, 2)\n", lines))
	}
	return b.String()
}

// Every place of a long file is looked at; of one beyond the budget those that were not are counted.
func TestWhatIsNotLookedAtIsCounted(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("without trees every line is looked at")
	}
	e := engine(t, flowRule("python"))
	found, unread := e.Read(syntax.NewReader(), written(functions(300, 8)), nil)
	require.Len(t, found, 300)
	require.Zero(t, unread)

	const many, lines = 150, 220 // over 512 KB
	found, unread = e.Read(nil, written(functions(many, lines)), nil)
	require.NotEmpty(t, found)
	require.NotZero(t, unread)
	require.Equal(t, many, len(found)+unread)
}

// A function with more places than are kept says how many it has more.
func TestPlacesBeyondTheLimitAreCounted(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("without trees every line is looked at")
	}
	e := engine(t, flowRule("python"))
	found, unread := e.Read(nil, written("def f(a):\n"+strings.Repeat("    sink(f'x {a}')\n", maxHits+20)), nil)
	require.Len(t, found, maxHits)
	require.Equal(t, 20, unread)
}
