package credential

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeysAreMadeOnceAndForTheirOwner(t *testing.T) {
	directory, err := Directory(filepath.Join(t.TempDir(), "credentials"))
	require.NoError(t, err)
	first, err := Keep(directory)
	require.NoError(t, err)
	require.Len(t, first, len(Roles()))
	again, err := Keep(directory)
	require.NoError(t, err)
	require.Equal(t, first, again)
	for _, role := range Roles() {
		require.Equal(t, File(directory, role), Find(directory, role))
		info, err := os.Stat(File(directory, role))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	info, err := os.Stat(directory)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	left, err := os.ReadDir(directory)
	require.NoError(t, err)
	require.Len(t, left, len(Roles()), "no temporary file is left")
}

func TestTwoStartsAtOnceAgree(t *testing.T) {
	directory := t.TempDir()
	all := make([]map[Role]string, 8)
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() {
			keys, err := Keep(directory)
			if err == nil {
				all[i] = keys
			}
		})
	}
	wait.Wait()
	for _, keys := range all {
		require.Equal(t, all[0], keys)
		require.Len(t, keys, len(Roles()))
	}
}

func TestWhatIsNoKeyIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"can be read by others":      func(path string) error { return os.Chmod(path, 0o644) },
		"contains no nkey seed":      func(path string) error { return os.WriteFile(path, []byte("no key"), 0o600) },
		"is not a regular file":      func(path string) error { return replaceByLink(path) },
		"credential of the operator": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			_, err := Keep(directory)
			require.NoError(t, err)
			require.NoError(t, spoil(File(directory, Operator)))
			_, err = Keep(directory)
			require.ErrorContains(t, err, name)
		})
	}
}

func replaceByLink(path string) error {
	if err := os.Rename(path, path+".moved"); err != nil {
		return err
	}
	return os.Symlink(path+".moved", path)
}

func TestDirectoryWithoutAHome(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "")
	home := t.TempDir()
	t.Setenv("HOME", home)
	path, err := Directory("")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(home, ".config", "scaffoldwatch", "credentials"), path)
	require.Empty(t, Find("", Operator))
	file := filepath.Join(home, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("HOME", file) // nothing can be made below it
	t.Setenv("TMPDIR", home)
	path, err = Directory("")
	require.NoError(t, err)
	require.Contains(t, path, home+"/user-")
	_, err = Keep(path)
	require.NoError(t, err)
	require.Equal(t, File(path, Operator), Find("", Operator))
}
