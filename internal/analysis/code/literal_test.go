package code

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// tokenPattern defines what Tokens yields.
var tokenPattern = regexp.MustCompile(`[A-Za-z_$][\w$]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\d+(?:\.\d+)?`)

func TestTokensAreThoseOfTheirPattern(t *testing.T) {
	parts := []string{"name", "$x", "_", "9", "12.5", ".", "1.", "\"", "'", "\\", "\n", " ", "é", "\xff", "K\u212a", "\"a b\"", "+=", "(", "{`", "1a", "a1"}
	rapid.Check(t, func(r *rapid.T) {
		line := ""
		for range rapid.IntRange(0, 16).Draw(r, "parts") {
			line += rapid.SampledFrom(parts).Draw(r, "part")
		}
		require.Equal(r, tokenPattern.FindAllString(line, -1), slices.Collect(Tokens(line)), "%q", line)
	})
}
