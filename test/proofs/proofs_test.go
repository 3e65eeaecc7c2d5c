package proofs

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFormsOfAProof(t *testing.T) {
	for text, full := range map[string]bool{"": false, "short": false, "full": true} {
		t.Setenv(variable, text)
		require.Equal(t, full, Full())
		want, cases := 7, 0
		if full {
			want = 100
		}
		require.Equal(t, want, Size(7, 100))
		Check(t, 7, func(*rapid.T) { cases++ })
		require.Equal(t, want, cases)
	}
	t.Setenv(variable, "ful")
	require.Panics(t, func() { Full() })
}

// What rapid runs by itself is the same before and after a short proof.
func TestOthersKeepTheirNumber(t *testing.T) {
	t.Setenv(variable, "")
	Check(t, 1, func(*rapid.T) {})
	cases := 0
	rapid.Check(t, func(*rapid.T) { cases++ })
	require.Equal(t, 100, cases)
}
