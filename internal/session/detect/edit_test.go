package detect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Snapshots of B2 hold "line/rule/function/number", those of B3 "line/function/number".
func TestPlacesReadWhatSnapshotsHold(t *testing.T) {
	for _, key := range []string{"1x2/9z", "0af3"} {
		places := Places{key + "/f1/1", key + "/-/2", "other/f1/3"}
		require.True(t, places.Know(Place{key, "f1", 1}))
		require.True(t, places.Know(Place{key, "-", 1}), "an edit that shows less of the file")
		require.True(t, places.Know(Place{key, "f2", 2}), "a place whose function nobody saw")
		require.False(t, places.Know(Place{key, "f2", 1}))
		require.False(t, places.Know(Place{key, "f1", 3}))
	}
}

func TestPlacesAreBoundedAndForgotten(t *testing.T) {
	var places Places
	numbers := Numbers{}
	var list []Place
	for range 3 {
		list = append(list, numbers.Next(Place{Key: "a/r", Function: "f"}))
	}
	places.Add(append(list, list[0], Place{"b/r", "f", 1}), 3)
	require.Equal(t, Places{"a/r/f/2", "a/r/f/3", "b/r/f/1"}, places, "the oldest left")
	places.Forget(map[string]bool{"a": true})
	require.Equal(t, Places{"b/r/f/1"}, places)
}

func TestNewestAndOnce(t *testing.T) {
	require.Equal(t, []int{2, 3}, text.Newest([]int{1, 2, 3}, 2))
	require.Equal(t, []int{1, 2}, Once([]int{1, 2}, 1, 2))
	require.Equal(t, []int{2, 3}, Once([]int{1, 2}, 3, 2))
	require.Empty(t, text.Newest([]int{1}, 0))
}
