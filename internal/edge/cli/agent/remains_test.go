package agent

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
)

// CO-8: what stays is named, and what a running system writes is not removed.
func TestWhatStays(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, filepath.Join(home, name))
	}
	require.Empty(t, left())
	unlock, err := idle()
	require.NoError(t, err, "nothing was ever recorded")
	unlock()

	data, settings := filepath.Join(home, "XDG_DATA_HOME", "scaffoldwatch"), filepath.Join(home, "XDG_CONFIG_HOME", "scaffoldwatch")
	require.NoError(t, os.MkdirAll(data, 0o700))
	require.NoError(t, os.MkdirAll(settings, 0o700))
	list := left()
	require.Len(t, list, 2)
	require.Equal(t, []string{data, settings}, []string{list[0].path, list[1].path})

	running, err := embedded.Hold(data)
	require.NoError(t, err)
	_, err = idle()
	require.ErrorIs(t, err, errRunning)
	require.NoError(t, running.Close())
	unlock, err = idle()
	require.NoError(t, err)
	unlock()
}

// A link in the place of a folder is removed, what it points to is not.
func TestRemovingFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	require.NoError(t, os.MkdirAll(mine, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(mine, "a"), nil, 0o600))
	link, folder := filepath.Join(dir, "link"), filepath.Join(dir, "folder")
	require.NoError(t, os.Symlink(mine, link))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "deep"), 0o700))
	for _, path := range []string{link, folder, filepath.Join(dir, "none")} {
		require.NoError(t, removeFolder(path))
		require.NoFileExists(t, path)
	}
	require.FileExists(t, filepath.Join(mine, "a"))
}
