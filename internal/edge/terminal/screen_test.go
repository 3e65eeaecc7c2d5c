package terminal

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScreenGivesTheTerminalBack(t *testing.T) {
	var out bytes.Buffer
	s := NewScreen(&out)
	require.NoError(t, s.Close())
	require.Empty(t, out.String(), "nothing was drawn, so nothing is put right")
	require.NoError(t, s.Show([]string{"one", "two"}))
	require.Equal(t, "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[Hone\x1b[K\r\ntwo\x1b[K\x1b[J", out.String())
	out.Reset()
	require.NoError(t, s.Show([]string{"three"}))
	require.Equal(t, "\x1b[Hthree\x1b[K\x1b[J", out.String(), "drawn over, without flicker")
	out.Reset()
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.Equal(t, "\x1b[?25h\x1b[?1049l", out.String())
	columns, rows := s.Size()
	require.Equal(t, []int{80, 24}, []int{columns, rows})
}
