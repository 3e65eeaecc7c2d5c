package record

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCrowded(t *testing.T) {
	blocks := func(n int) string { return `{"blocks":[` + strings.Repeat(`{"t":"a"},`, n) + `{}]}` }
	require.False(t, Crowded([]byte(blocks(1000))))
	require.False(t, Crowded([]byte(blocks(maxValues/2-10))))
	require.True(t, Crowded([]byte(blocks(maxValues/2))))
	long := `{"text":"` + strings.Repeat(`a,{[\",`, maxValues) + `"}`
	require.False(t, Crowded([]byte(long)), "what a string holds is one value")
	require.False(t, Crowded([]byte(strings.Repeat(" ", 2<<20)+`{"a":"\`)))
}

// A line of two million blocks is reported and skipped before it is decoded.
func TestACrowdedLineIsSkipped(t *testing.T) {
	var said []string
	text := `{"a":[` + strings.Repeat(`{},`, 1_000_000) + "{}]}\n{\"b\":1}\n"
	lines := NewLines(bufio.NewReader(strings.NewReader(text)), 64<<20, func(_ int, _ int64, why string) { said = append(said, why) })
	next, err := lines.Next()
	require.NoError(t, err)
	require.Equal(t, `{"b":1}`, string(next.Data))
	require.Len(t, said, 1)
	require.Contains(t, said[0], "over 250000 values")
}
