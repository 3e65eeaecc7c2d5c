package sameplace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSame(t *testing.T) {
	here, other := t.TempDir(), t.TempDir()
	place := Of(here)
	require.NotEmpty(t, place)
	require.True(t, Same(place, here))
	require.False(t, Same(place, other), "another folder")
	require.False(t, Same("", here), "nobody said where")
	require.False(t, Same(place, filepath.Join(here, "none")))
	require.Empty(t, Of(filepath.Join(here, "none")))
	require.Empty(t, Of(""))

	_, rest, _ := strings.Cut(place, ":")
	require.False(t, Same("another-machine:"+rest, here))

	require.NoError(t, os.Symlink(here, filepath.Join(other, "link")))
	require.True(t, Same(place, filepath.Join(other, "link")), "a link leads to the same folder")
}
