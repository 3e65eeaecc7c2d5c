package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A value that was found with its name is found again without it, in a later
// piece of the turn, though only its fingerprint is known (SW-7).
func TestRepeats(t *testing.T) {
	r := redactor(t)
	value := secretstest.New(30).Random(24)
	_, earlier := r.Turn(sessionevents.Turn{Blocks: []sessionevents.Block{{Type: sessionevents.BlockText, Text: "password = \"" + value + "\""}}})
	require.NotEmpty(t, earlier)
	turn := sessionevents.Turn{Blocks: []sessionevents.Block{
		{Type: sessionevents.BlockToolCall, ID: "1", Input: raw(map[string]any{"argument": "--with " + value})},
		{Type: sessionevents.BlockToolResult, ID: "1", Output: "got (" + value + ")\nand " + value + "."},
		{Type: sessionevents.BlockText, Text: "nothing here"},
	}}
	before := encode(t, turn)
	clean, found := r.Repeats(turn, earlier)
	require.NotContains(t, encode(t, clean), value)
	require.Equal(t, before, encode(t, turn), "the input was changed")
	require.Len(t, found, 3)
	require.Equal(t, []int{0, 1, 1}, []int{found[0].Block, found[1].Block, found[2].Block})
	require.Equal(t, earlier[0].Fingerprint, found[1].Fingerprint)
	require.True(t, strings.HasPrefix(clean.Blocks[1].Output[found[1].Offset:], "‹secret:"))

	same, none := r.Repeats(turn, nil)
	require.Empty(t, none)
	require.Equal(t, before, encode(t, same))
}

// What the redactor leaves alone elsewhere is no repeat either.
func TestRepeatsOfExamples(t *testing.T) {
	r := redactor(t)
	earlier := []sessionevents.SecretFinding{
		{Rule: "x", Fingerprint: r.scanner.Fingerprint("changeme1"), Length: 9, Tier: "named_literal", Placeholder: true},
		{Rule: "x", Fingerprint: r.scanner.Fingerprint("short"), Length: 5, Tier: "named_literal"},
		{Rule: "x", Fingerprint: r.scanner.Fingerprint("sometimes"), Length: 9, Tier: "entropy"},
	}
	_, found := r.Repeats(sessionevents.Turn{Text: "changeme1 short sometimes"}, earlier)
	require.Empty(t, found)
}

func BenchmarkRepeats(b *testing.B) {
	r := redactor(b)
	g := secretstest.New(31)
	_, earlier := r.Turn(sessionevents.Turn{Text: "password = \"" + g.Random(24) + "\""})
	turn := sessionevents.Turn{Blocks: []sessionevents.Block{{Type: sessionevents.BlockToolResult, Output: g.Text(100 << 10)}}}
	b.SetBytes(100 << 10)
	b.ResetTimer()
	for range b.N {
		r.Repeats(turn, earlier)
	}
}
