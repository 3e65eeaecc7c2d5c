package prose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

// plainTerms is Terms as it is defined, without what makes it fast.
func plainTerms(text string) (out []string) {
	seen := map[string]bool{}
	separates := func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
	}
	for token := range strings.FieldsFuncSeq(text, separates) {
		for _, word := range similarity.Words(token) {
			if stem := similarity.Stem(word); content(word) && !seen[stem] {
				seen[stem] = true
				out = append(out, stem)
			}
		}
	}
	return out
}

func TestTermsAreWhatTheirDefinitionGives(t *testing.T) {
	words := []string{"parseUserId", "Caching", "the", "HTTPServer2", "load_all", "Größe", "x", "42", "\xff", "ünïcode", "K\u212a", strings.Repeat("long", 30), "URLs", "caches"}
	separators := []string{" ", "\n", "-", ".", ", ", "", "  (", "\u00a0", "…"}
	rapid.Check(t, func(r *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 40).Draw(r, "parts") {
			text.WriteString(rapid.SampledFrom(words).Draw(r, "word"))
			text.WriteString(rapid.SampledFrom(separators).Draw(r, "separator"))
		}
		text.WriteString(rapid.String().Draw(r, "anything"))
		require.Equal(r, plainTerms(text.String()), Terms(text.String()))
	})
}

// More distinct words than the table of a text holds.
func TestTermsOfALongText(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		text.WriteString(string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + "qz ")
	}
	got := Terms(text.String() + text.String())
	require.Equal(t, plainTerms(text.String()), got)
	require.Greater(t, len(got), 1024)
}

// A document that is remembered is what folding gives, also for a text whose place another had.
func TestParseRemembersTheRightDocument(t *testing.T) {
	for round := range 2 {
		for i := range 256 {
			text := strings.Repeat("First `a\nb` one. Then \"two\"? ", i%5+1) + strings.Repeat("x", i)
			want := fold(text)
			got := Parse(text)
			require.Equal(t, want.Text, got.Text, "round %d", round)
			require.Equal(t, want.Masked, got.Masked)
			require.Equal(t, want.Sentences(), got.Sentences())
			require.Equal(t, want.Sentences(), Parse(text).Sentences())
		}
	}
}
