package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSequencesAreRangesAndBack(t *testing.T) {
	text := Sequences([]uint64{3, 4, 5, 9, 11, 12})
	require.Equal(t, "3-5,9,11-12", text)
	ranges, err := Erasure{Sequences: text}.Ranges()
	require.NoError(t, err)
	require.Equal(t, [][2]uint64{{3, 5}, {9, 9}, {11, 12}}, ranges)
	require.Empty(t, Sequences(nil))
	for _, bad := range []string{"5-3", "a", "1,,2", "1-"} {
		_, err := Erasure{Sequences: bad}.Ranges()
		require.Error(t, err, bad)
	}
}
