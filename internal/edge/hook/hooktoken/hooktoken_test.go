package hooktoken

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATokenIsMadeOnce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "hooks")
	require.Empty(t, Read(folder, "codex"))
	require.False(t, Permits(folder, "codex", ""), "no token permits nobody")
	tokens := make([]string, 8)
	var done sync.WaitGroup
	for i := range tokens {
		done.Go(func() { tokens[i], _ = Make(folder, "codex") })
	}
	done.Wait()
	for _, token := range tokens {
		require.Equal(t, tokens[0], token)
		require.Len(t, token, 26)
	}
	require.True(t, Permits(folder, "codex", tokens[0]))
	require.False(t, Permits(folder, "codex", tokens[0]+"x"))
	require.False(t, Permits(folder, "gemini", tokens[0]))
	require.False(t, Permits("", "codex", ""))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing temporary stays")
	info, err := entries[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	outer, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), outer.Mode().Perm())
}

func TestTheFolder(t *testing.T) {
	require.Equal(t, "/x", Folder(func(string) string { return "/x" }))
	t.Setenv("HOME", "/home/ann")
	t.Setenv("XDG_CONFIG_HOME", "")
	require.Contains(t, Folder(func(string) string { return "" }), filepath.Join("scaffoldwatch", "hooks"))
}
