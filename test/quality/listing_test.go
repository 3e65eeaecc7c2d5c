package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A listing never replaces the data it was measured on.
func TestListingKeepsTheData(t *testing.T) {
	data := t.TempDir()
	kept := filepath.Join(data, "set.jsonl.gz")
	require.NoError(t, os.WriteFile(kept, []byte("kept"), 0o444))
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(kept, link))
	for _, path := range []string{kept, link, filepath.Join(data, "new.txt")} {
		require.ErrorContains(t, writeListing(data, path, "listing"), "inside the data folder")
	}
	text, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, "kept", string(text))
	require.NoFileExists(t, filepath.Join(data, "new.txt"))
	require.NoError(t, writeListing(data, filepath.Join(t.TempDir(), "listing.txt"), "listing"))
	require.NoError(t, writeListing("", filepath.Join(t.TempDir(), "listing.txt"), "listing"))
}
