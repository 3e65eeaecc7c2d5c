package page

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersInWords(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 1_234_567: "1,234,567",
		-1234: "-1,234", -999: "-999",
	} {
		require.Equal(t, want, Count(n))
	}
	require.Equal(t, "1 turn", Plural(1, "turn"))
	require.Equal(t, "1,760 turns", Plural(1760, "turn", "turns"))
	for usd, want := range map[float64]string{0: "$0.00", 0.0004: "< $0.01", 0.01: "$0.01", 3: "$3.00"} {
		require.Equal(t, want, Dollars(usd), "what was paid is never nothing")
	}
}
