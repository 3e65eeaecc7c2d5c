package similarity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzWords: the short cut for ASCII text finds what the rule for any text does.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"getUserID", "HTTPServer2", "load_all-URLs", "FooV2 URLsX", "aB", "ABc", "IDs", "x", "", "_A_b1C", "URLs-A"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want []string
		for _, part := range strings.FieldsFunc(text, notWordRune) {
			want = appendHumps(want, []rune(part))
		}
		require.Equal(t, want, Words(text))
	})
}
